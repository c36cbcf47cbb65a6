import * as z from "zod";
import { agents } from "../agents/registry.ts";
import { eventNames } from "../core/vocabulary.ts";
import { check, type Report, readWhole } from "./check.ts";
import type { Route } from "./config.ts";
import { didYouMean, typoOf } from "./did-you-mean.ts";

/** What the file's routes say. */
interface ReadRoutes {
  /** The valid ones, each with those of its notifiers that can be used. */
  readonly routes: readonly Route[];
  /** The conditions of those that an error left without a notifier; none where they could not be read. */
  readonly damaged: readonly Partial<Route>[];
}

/**
 * Reads `routes`; without them, all usable notifiers are told of all kinds but `info`.
 * @param usable names of the notifiers without an error
 * @param declared names of all notifiers
 */
export async function readRoutes(
  value: unknown,
  usable: readonly string[],
  declared: readonly string[],
  report: Report,
): Promise<ReadRoutes> {
  if (value === undefined) {
    const route: Route = { kinds: ["needs-you", "failed", "finished"], to: [...usable] };
    return { routes: [route], damaged: usable.length === 0 && declared.length > 0 ? [route] : [] };
  }
  const entries = readWhole(z.array(z.unknown()), value, ["routes"], report);
  if (!entries) return { routes: [], damaged: [{}] };
  const { routeSchemaFor } = await import("./route-table.ts");
  const read = entries.map((entry, index) => readRoute(routeSchemaFor(entry), entry, index, report));
  const routes = read.filter((route) => route !== undefined);
  read.forEach((route, index) => {
    route?.to.forEach((name, position) => {
      if (declared.includes(name)) return;
      const hint = didYouMean(name, declared);
      report({ level: "error", path: ["routes", index, "to", position], message: "no notifier of this name", hint });
    });
  });
  const usableRoutes = routes.map((route) => ({ ...route, to: route.to.filter((name) => usable.includes(name)) }));
  const damaged = usableRoutes.filter(({ to }) => to.length === 0);
  return { routes: usableRoutes, damaged: [...damaged, ...(routes.length < read.length ? [{}] : [])] };
}

/**
 * A route; undefined where a condition is wrong: without the one that was meant, it would match more than it should.
 */
function readRoute(schema: z.ZodType<Route>, entry: unknown, index: number, report: Report): Route | undefined {
  const { value, findings } = check(schema, entry, ["routes", index]);
  report(...findings.map((finding) => (finding.level === "error" ? finding : { ...finding, ...unknownCondition })));
  const misspelt = (value?.on ?? []).flatMap((name, position) => {
    const meant = typoOf(name, knownEvents);
    return meant === undefined ? [] : [{ position, hint: `Did you mean \`${meant}\`?` }];
  });
  for (const { position, hint } of misspelt) {
    report({ level: "error", path: ["routes", index, "on", position], message: "no event of this name", hint });
  }
  return findings.length + misspelt.length === 0 ? value : undefined;
}

const unknownCondition = { level: "error", message: "unknown condition, so the route is left out" } as const;

/**
 * Events that agents are known to have. Others may come, so that an unknown one is only suspicious if it looks alike.
 */
const knownEvents = [
  ...eventNames,
  ...agents.flatMap(({ nativeEvents, settings }) => [
    ...Object.keys(nativeEvents),
    ...Object.keys(settings?.forbiddenEvents ?? {}),
  ]),
];
