import { existsSync, statSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import picomatch from "picomatch";
import { type Ability, abilityText, isUseless, removalAdvice } from "../../../actions/assess-notifiers.ts";
import { allRoutes, type Config, type ConfiguredNotifier } from "../../../config/config.ts";
import { quietly } from "../../../core/quietly.ts";
import type { Kind } from "../../../core/vocabulary.ts";
import { expandHome } from "../../../files/paths.ts";
import { listQuietly } from "../../../files/read-file.ts";
import { shellWord } from "../../../installer/agents/command-line.ts";
import { findNewest } from "../../../journal/read-journal.ts";
import { dayMs, localTime } from "../../../text/time.ts";
import { seenAt, unprovenPrograms } from "../../visibility/confirm-visibility.ts";
import { type Check, type CheckContext, check, fail, named, type Observation, ok, warn } from "./check.ts";

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

/** Checks that each notifier works on this machine, and that at least one of them gets urgent events. */
const notifiers: Check = (context) => {
  const { config } = context;
  const abilities = context.notifiers.filter(({ configured }) => configured);
  if (abilities.length === 0) {
    return named("notifiers", fail("none: events are only written to the journal", "beckon config add"));
  }
  if (allRoutes(config).every(({ to }) => to.length === 0))
    return named("notifiers", fail("no route leads to one, so events only reach the journal", "beckon config edit"));
  const able = abilities.flatMap(({ name, canRing }) => (canRing ? [name] : []));
  return abilities.flatMap((ability) => {
    const observation = observe(ability, context);
    const judged = ability.canRing ? observation : judgeSeverity(ability.name, observation, able, config);
    // Others deliver its events, so advice on how to get any is beside the point.
    const isSpare = judged.status === "warn" && isUseless(ability);
    const cure = `To see what it needs: beckon test ${shellWord(ability.name)}. ${removalAdvice([ability.name])}`;
    const shown = isSpare ? { ...judged, cure } : judged;
    return named(`notifier ${ability.name}`, shown);
  });
};

function observe(ability: Ability, context: CheckContext): Observation {
  const { name, verdict, trouble, configured, cure = `beckon test ${shellWord(name)}` } = ability;
  if (verdict === "broken" || verdict === "unset") return fail(abilityText(ability), cure);
  if (verdict !== "ready" || trouble || !configured) return warn(abilityText(ability), cure);
  return checkVisibility(configured, context, cure);
}

/** Makes a warning about a notifier that cannot ring a problem if no other would deliver its urgent events. */
function judgeSeverity(name: string, observation: Observation, able: readonly string[], config: Config): Observation {
  if (observation.status === "fail") return observation;
  const leadTo = (names: readonly string[], kind?: Kind): boolean =>
    allRoutes(config).some(
      ({ kinds, to }) =>
        (kind === undefined || kinds === undefined || kinds.includes(kind)) && to.some((name) => names.includes(name)),
    );
  const lost = urgentKinds.filter((kind) => leadTo([name], kind) && !leadTo(able, kind));
  if (!leadTo([name]) || (lost.length === 0 && leadTo(able))) return observation;
  const events = lost.length > 0 ? `${lost.join(" and ")} events` : "all events";
  const detail = `${observation.detail}, so ${events} only reach the journal`;
  return fail(detail, observation.cure ?? "");
}

const urgentKinds: readonly Kind[] = ["needs-you", "failed"];

/** Checks that the folders in `projects` of routes, except on other machines, and of `answers` exist. */
const projectFolders = check("projects", ({ config: { routes, answers } }) => {
  const ofRoutes = routes.map(({ projects, hosts }, at) => [`route ${at + 1}`, hosts ? [] : projects] as const);
  return [...ofRoutes, ["`answers`", answers?.projects] as const].flatMap(([owner, projects = []]) => {
    const bases = projects.map((glob) => expandHome(picomatch.scan(glob, { unescape: true }).base));
    const missing = bases.filter((base) => isAbsolute(base) && !existsSync(base));
    return missing.map((base) => {
      const effect = `${base} in \`projects\` of ${owner} does not exist, so it matches nothing`;
      return warn(effect, "Correct the path, or remove it: beckon config edit");
    });
  });
});

/** Age of events, and of the configuration, from which on a route without a match is named: 31 days. */
const unusedMs = 31 * dayMs;

/** Checks that the journal of the last month has a project that may be in each route's `projects`. */
const unusedRoutes = check("routes", ({ config: { routes }, paths, nowMs }) => {
  const isOld = quietly(() => nowMs - statSync(paths.config).mtimeMs > unusedMs) === true;
  const isLong = listQuietly(paths.journal).some(
    (file) => file.slice(0, 7) < new Date(nowMs - unusedMs).toISOString().slice(0, 7),
  );
  if (!isOld || !isLong || !routes.some(({ projects, hosts }) => projects && !hosts)) return undefined;
  const recent = findNewest(paths.journal, { by: ["project"] }).filter(({ at }) => nowMs - Date.parse(at) < unusedMs);
  const names = new Set(recent.map(({ project = "" }) => basename(project.replace(/ \(.*\)$/, ""))));
  return routes.flatMap(({ projects, hosts }, index) => {
    if (!projects || hosts || projects.some((glob) => mayMatch(glob, names))) return [];
    const effect = `no project of the last month seems to be in \`projects\` of route ${index + 1}`;
    return warn(effect, "To see what it would match: beckon try finished --project FOLDER");
  });
});

/** True if a project with one of the names may be in a glob, so far as folders on this machine tell. */
function mayMatch(glob: string, names: ReadonlySet<string>): boolean {
  const { base, glob: rest } = picomatch.scan(glob, { unescape: true });
  const folder = expandHome(base);
  if (!isAbsolute(folder) || rest.replace(/^\*\*?$/, "") !== "") return true;
  return (
    names.has(basename(folder)) ||
    [...names].some((name) => existsSync(join(folder, name))) ||
    (rest === "**" &&
      listQuietly(folder).some((child) => [...names].some((name) => existsSync(join(folder, child, name)))))
  );
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
export const notifierChecks: readonly Check[] = [configuration, notifiers, projectFolders, unusedRoutes];
