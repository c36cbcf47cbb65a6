import { existsSync } from "node:fs";
import type { ConfiguredNotifier } from "../../../config/config.ts";
import { cleanLine } from "../../../core/clean.ts";
import { BeckonError } from "../../../core/errors.ts";
import { localTime } from "../../../core/local-time.ts";
import { redactor } from "../../../core/secret.ts";
import { BrokenNotifiers, brokenFile } from "../../../pipeline/broken-notifiers.ts";
import { resolveNotifierSettings } from "../../../pipeline/resolve-settings.ts";
import { unprovenPrograms } from "../../sight/confirm-sight.ts";
import { seenAt } from "../../sight/seen-programs.ts";
import { lastTrouble } from "../../status/last-trouble.ts";
import { type Check, type CheckContext, check, fail, named, type Observation, ok, warn } from "./check.ts";

/** Most one notifier's check may take, milliseconds. */
const checkMs = 5_000;

/** The configuration has no errors and no warnings. */
const configuration = check("configuration", ({ config: { findings, standInRoutes }, paths }) => {
  if (!existsSync(paths.config)) return ok(`${paths.config} does not exist: the defaults apply`);
  if (findings.length === 0) return ok(paths.config);
  const standIns = [...new Set(standInRoutes.flatMap(({ to }) => to))].join(", ");
  const detail = `an error takes notifiers away; where nobody is left for needs-you or failed, it goes to ${standIns}`;
  const problems = findings.map(
    ({ level, path, line, column, message, hint = "`beckon config check` lists all problems." }) => {
      const position = [paths.config, line, column].filter((part) => part !== undefined).join(":");
      const detail = [position, path && `${path}:`, message].filter(Boolean).join(" ");
      return (level === "error" ? fail : warn)(detail, hint);
    },
  );
  return standIns === "" ? problems : [...problems, warn(detail, "Correct the errors.")];
});

/** Each notifier works on this machine, as far as that is known without sending anything. */
const notifiers: Check = async (context) => {
  const configured = [...context.config.notifiers.values()];
  if (configured.length === 0) {
    return named("notifiers", fail("none: events are only written to the journal", "beckon config add"));
  }
  const results = configured.map(async (one) => named(`notifier ${one.name}`, await checkNotifier(one, context)));
  return (await Promise.all(results)).flat();
};

async function checkNotifier(
  configured: ConfiguredNotifier,
  { ports, paths, journal }: CheckContext,
): Promise<Observation> {
  const { name, notifier } = configured;
  const cure = `beckon test ${name}`;
  if (notifier.platforms && !notifier.platforms.includes(process.platform)) {
    return warn(`${notifier.name} does not work on ${process.platform}`, "Events skip it on this machine.");
  }
  const broken = new BrokenNotifiers(brokenFile(paths)).of(configured);
  if (broken) {
    const since = localTime(broken.sinceMs);
    const { reason, hint = "Fix its configuration." } = broken;
    return fail(`broken since ${since}: ${reason}`, `${hint} Then: ${cure}`);
  }
  const secrets: string[] = [];
  try {
    const settings = await resolveNotifierSettings(configured, ports.exec, (found) => secrets.push(...found));
    const problem = await notifier.check?.({ settings, ports, signal: AbortSignal.timeout(checkMs) });
    if (problem !== undefined) return warn(redactor(secrets)(problem), cure);
    const trouble = lastTrouble(name, journal);
    if (trouble === undefined) return sightOf(configured, ports, paths, cure);
    return warn(`did not work at ${localTime(trouble.at)}: ${cleanLine(trouble.reason)}`, cure);
  } catch (error) {
    if (error instanceof BeckonError) return fail(error.message, error.hint ?? "Fix its configuration.");
    return warn("its check failed", cure);
  }
}

/** Whether its messages are seen, as far as anybody knows. */
function sightOf(
  configured: ConfiguredNotifier,
  ports: CheckContext["ports"],
  paths: CheckContext["paths"],
  cure: string,
): Observation {
  const { name, notifier } = configured;
  const [program] = unprovenPrograms(configured, ports);
  if (program === undefined) return ok(notifier.name);
  const at = seenAt(paths, name, program.name);
  if (at !== undefined) return ok(`${notifier.name}, which you saw at ${localTime(at)}, by ${program.title}`);
  const detail = `${program.title} says that it shows notifications, and nobody has said yet that they see them`;
  return warn(detail, `\`${cure}\` at a terminal shows one, asks, and says what to do.`);
}

/** Checks of the configuration and its notifiers. */
export const notifierChecks: readonly Check[] = [configuration, notifiers];
