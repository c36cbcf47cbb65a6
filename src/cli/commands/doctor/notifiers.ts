import { existsSync } from "node:fs";
import type { Config, ConfiguredNotifier, Route } from "../../../config/config.ts";
import { BeckonError, failureHints, hintFor } from "../../../core/errors.ts";
import { findObstacle } from "../../../core/notifier.ts";
import { redactor } from "../../../core/redactor.ts";
import type { Kind } from "../../../core/vocabulary.ts";
import { NotifierQueues } from "../../../pipeline/notifier-queue.ts";
import { resolveNotifierSettings } from "../../../pipeline/within-budget.ts";
import { cleanLine } from "../../../text/clean.ts";
import { localTime } from "../../../text/time.ts";
import { lastTrouble } from "../../status/notifier-status.ts";
import { seenAt, unprovenPrograms } from "../../visibility/confirm-visibility.ts";
import { type Check, type CheckContext, check, fail, named, type Observation, ok, warn } from "./check.ts";

/** Time limit for checking one notifier, milliseconds. */
const checkTimeoutMs = 5_000;

/** Checks that the configuration has no errors or warnings. */
const configuration = check("configuration", ({ config: { findings, standInRoutes }, paths }) => {
  if (!existsSync(paths.config)) return ok(`${paths.config} does not exist; the defaults apply`);
  if (findings.length === 0) return ok(paths.config);
  const standIns = [...new Set(standInRoutes.flatMap(({ to }) => to))].join(", ");
  const detail = `errors disabled all notifiers for needs-you or failed events; beckon falls back to ${standIns}`;
  const problems = findings.map(
    ({ level, path, line, column, message, hint = "To correct it: beckon config edit" }) => {
      const position = [paths.config, line, column].filter((part) => part !== undefined).join(":");
      const detail = [position, path && `${path}:`, message].filter(Boolean).join(" ");
      return (level === "error" ? fail : warn)(detail, hint);
    },
  );
  return standIns === "" ? problems : [...problems, warn(detail, "Correct the errors.")];
});

/** Result of checking a notifier without sending anything. */
interface CheckedNotifier {
  readonly name: string;
  readonly observation: Observation;
  /** False if the notifier is known to be unable to deliver. */
  readonly isAble: boolean;
}

/** Checks that each notifier works on this machine, and that at least one of them gets urgent events. */
const notifiers: Check = async (context) => {
  const { config } = context;
  const configured = [...config.notifiers.values()];
  if (configured.length === 0) {
    return named("notifiers", fail("none: events are only written to the journal", "beckon config add"));
  }
  if (allRoutes(config).every(({ to }) => to.length === 0)) {
    return named(
      "notifiers",
      fail("no route leads to a notifier: events are only written to the journal", "beckon config edit"),
    );
  }
  const checked = await Promise.all(configured.map((entry) => checkNotifier(entry, context)));
  const able = checked.flatMap(({ name, isAble }) => (isAble ? [name] : []));
  return checked.flatMap((found) => named(`notifier ${found.name}`, judgeSeverity(found, able, config)));
};

/** Makes a warning about a notifier a problem if no other notifier would deliver the urgent events routed to it. */
function judgeSeverity({ name, observation, isAble }: CheckedNotifier, able: readonly string[], config: Config) {
  if (isAble || observation.status === "fail") return observation;
  const routes = allRoutes(config).filter(({ to }) => to.includes(name));
  const lost = urgentKinds.filter(
    (kind) =>
      routes.some(isFor(kind)) && !allRoutes(config).some((route) => isFor(kind)(route) && route.to.some(isIn(able))),
  );
  const isAlone = !allRoutes(config).some(({ to }) => to.some(isIn(able)));
  if (routes.length === 0 || (lost.length === 0 && !isAlone)) return observation;
  const events = lost.length > 0 ? `${lost.join(" and ")} events` : "all events";
  const detail = `${observation.detail}, so ${events} only reach the journal`;
  return fail(detail, observation.cure ?? "");
}

function allRoutes({ routes, standInRoutes }: Config): readonly Route[] {
  return [...routes, ...standInRoutes];
}

const isFor =
  (kind: Kind) =>
  ({ kinds }: Route): boolean =>
    kinds === undefined || kinds.includes(kind);
const isIn =
  (names: readonly string[]) =>
  (name: string): boolean =>
    names.includes(name);

const urgentKinds: readonly Kind[] = ["needs-you", "failed"];

async function checkNotifier(configured: ConfiguredNotifier, context: CheckContext): Promise<CheckedNotifier> {
  const { name } = configured;
  const unable = await findReasonUnable(configured, context);
  if (unable) return { name, observation: unable, isAble: false };
  const cure = `beckon test ${name}`;
  const trouble = lastTrouble(name, context.journal);
  if (!trouble) return { name, observation: checkVisibility(configured, context, cure), isAble: true };
  const observation = warn(`failed at ${localTime(trouble.at)}: ${cleanLine(trouble.reason)}`, cure);
  if (!trouble.reason.startsWith("unsupported:")) return { name, observation, isAble: true };
  return {
    name,
    observation: { ...observation, cure: `${hintFor(trouble.reason) ?? ""} Try: ${cure}` },
    isAble: false,
  };
}

/** Finds a reason why a notifier cannot deliver; undefined if none is known. */
export async function findReasonUnable(
  configured: ConfiguredNotifier,
  { ports, paths }: Pick<CheckContext, "ports" | "paths">,
): Promise<Observation | undefined> {
  const { name, notifier } = configured;
  if (notifier.platforms && !notifier.platforms.includes(process.platform)) {
    return warn(`${notifier.name} does not work on ${process.platform}`, "Events skip it on this machine.");
  }
  const broken = new NotifierQueues(paths, ports.clock).of(name).findBroken(configured);
  if (broken) {
    const { reason, hint = "Fix its configuration." } = broken;
    return fail(`broken since ${localTime(broken.sinceMs)}: ${reason}`, `${hint} Then: beckon test ${name}`);
  }
  const secrets: string[] = [];
  try {
    const settings = await resolveNotifierSettings(configured, ports.exec, (found) => secrets.push(...found));
    const found = await findObstacle(notifier, { settings, ports, signal: AbortSignal.timeout(checkTimeoutMs) });
    if (!found) return undefined;
    const redact = redactor(secrets);
    return warn(redact(found.message), redact(found.hint ?? failureHints.unsupported));
  } catch (error) {
    if (error instanceof BeckonError) return fail(error.message, error.hint ?? "Fix its configuration.");
    return warn("its check failed", `beckon test ${name}`);
  }
}

/** Warns if the user has not confirmed that the notifier's messages appear. */
function checkVisibility(configured: ConfiguredNotifier, { ports, paths }: CheckContext, cure: string): Observation {
  const { name, notifier } = configured;
  const [program] = unprovenPrograms(configured, ports);
  if (program === undefined) return ok(notifier.name);
  const at = seenAt(paths, name, program.name);
  if (at !== undefined)
    return ok(`${notifier.name}; you confirmed a notification from ${program.title} at ${localTime(at)}`);
  const detail = `you have not confirmed yet that notifications from ${program.title} appear`;
  return warn(detail, `Run \`${cure}\` in a terminal; it shows one and helps if you do not see it.`);
}

/** Checks of the configuration and its notifiers. */
export const notifierChecks: readonly Check[] = [configuration, notifiers];
