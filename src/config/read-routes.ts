import * as z from "zod";
import { agents } from "../agents/registry.ts";
import { eventNames } from "../core/vocabulary.ts";
import { check, globFindings, type Report, readWhole } from "./check.ts";
import type { Route } from "./config.ts";
import { correctTypo, didYouMean } from "./did-you-mean.ts";

/** Result of reading the file's routes. */
interface ReadRoutes {
  /** Valid routes, with their usable notifiers. */
  readonly routes: readonly Route[];
  /** Conditions of routes that an error left without a notifier. `{}` stands for unreadable conditions. */
  readonly orphaned: readonly Partial<Route>[];
}

/**
 * Reads `routes`. Without routes, all usable notifiers get all kinds but `info`.
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
    return { routes: [route], orphaned: usable.length === 0 && declared.length > 0 ? [route] : [] };
  }
  const entries = readWhole(z.array(z.unknown()), value, ["routes"], report);
  if (!entries) return { routes: [], orphaned: [{}] };
  const { routeSchemaFor } = await import("./route-table.ts");
  const read = entries.map((entry, index) => readRoute(routeSchemaFor(entry), entry, index, report));
  const routes = read.filter((route) => route !== undefined);
  read.forEach((route, index) => {
    route?.to.forEach((name, position) => {
      if (declared.includes(name)) return;
      const hint = didYouMean(name, declared);
      report({
        level: "error",
        path: ["routes", index, "to", position],
        message: "must be the name of a notifier",
        hint,
      });
    });
  });
  const usableRoutes = routes.map((route) => ({ ...route, to: route.to.filter((name) => usable.includes(name)) }));
  const orphaned = usableRoutes.filter(({ to }) => to.length === 0);
  return { routes: usableRoutes, orphaned: [...orphaned, ...(routes.length < read.length ? [{}] : [])] };
}

/** Reads a route. Undefined if a condition is invalid, because the rest of the route would match too many events. */
function readRoute(schema: z.ZodType<Route>, entry: unknown, index: number, report: Report): Route | undefined {
  const { value, findings } = check(schema, entry, ["routes", index]);
  report(...findings.map((finding) => (finding.level === "error" ? finding : { ...finding, ...unknownCondition })));
  const misspelt = (value?.on ?? []).flatMap((name, position) => {
    const meant = correctTypo(name, knownEvents);
    return meant === undefined ? [] : [{ position, hint: `Did you mean \`${meant}\`?` }];
  });
  for (const { position, hint } of misspelt) {
    report({ level: "error", path: ["routes", index, "on", position], message: "must be the name of an event", hint });
  }
  for (const name of ["hosts", "projects"] as const) report(...globFindings(value?.[name], ["routes", index, name]));
  return findings.length + misspelt.length === 0 ? value : undefined;
}

const unknownCondition = { level: "error", message: "is an unknown condition, so the route is ignored" } as const;

/** Known events of agents. Agents may add events, so an unknown event counts as a typo only if it is similar. */
const knownEvents = [
  ...eventNames,
  ...agents.flatMap(({ nativeEvents, settings }) => [
    ...Object.keys(nativeEvents),
    ...Object.keys(settings?.forbiddenEvents ?? {}),
  ]),
];
