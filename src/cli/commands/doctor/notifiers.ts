import type { ConfiguredNotifier } from "../../../config/config.ts";
import { BeckonError } from "../../../core/errors.ts";
import { redactor } from "../../../core/secret.ts";
import { BrokenNotifiers, brokenFile } from "../../../pipeline/broken-notifiers.ts";
import { resolveSettings } from "../../../pipeline/resolve-settings.ts";
import { localTime } from "../../local-time.ts";
import { type Check, type CheckResult, fail, ok, type Scene, warn } from "./check.ts";

const checkMs = 5_000;

/** What is wrong with the configuration, each with its place in the file. */
export const configuration: Check = ({ config: { findings }, paths }) => {
  if (findings.length === 0) return [ok("configuration", paths.config)];
  return findings.map(({ level, path, line, column, message, hint }) => {
    const place = [paths.config, line, column].filter((part) => part !== undefined).join(":");
    const detail = [place, path && `${path}:`, message].filter(Boolean).join(" ");
    return (level === "error" ? fail : warn)("configuration", detail, hint ?? "`beckon config check` shows it again.");
  });
};

/** Each notifier works on this machine, as far as it can be told without sending anything. */
export const notifiers: Check = async (scene) => {
  const { config } = scene;
  if (config.notifiers.size === 0) {
    return [fail("notifiers", "none: nobody is told of anything", "`beckon config init` shows how to set one up.")];
  }
  return Promise.all([...config.notifiers.values()].map((one) => checkNotifier(one, scene)));
};

async function checkNotifier(configured: ConfiguredNotifier, { ports, paths }: Scene): Promise<CheckResult> {
  const { name, notifier } = configured;
  const title = `notifier ${name}`;
  const cure = `beckon test ${name}`;
  if (notifier.platforms !== "any" && !notifier.platforms.includes(process.platform)) {
    return warn(title, `${notifier.name} does not work on ${process.platform}`, "Events skip it on this machine.");
  }
  const broken = new BrokenNotifiers(brokenFile(paths)).of(configured);
  if (broken) {
    const since = localTime(new Date(broken.sinceMs).toISOString());
    const { reason, hint = "Mend its configuration." } = broken;
    return fail(title, `broken since ${since}: ${reason}`, `${hint} Then: ${cure}`);
  }
  const secrets: string[] = [];
  try {
    const settings = await resolveSettings(configured, ports.exec, (found) => secrets.push(...found));
    const problem = await notifier.check?.({ settings, ports, signal: AbortSignal.timeout(checkMs) });
    return problem === undefined ? ok(title, notifier.name) : warn(title, redactor(secrets)(problem), cure);
  } catch (error) {
    if (error instanceof BeckonError) return fail(title, error.message, error.hint ?? "Mend the configuration.");
    return warn(title, "its own check failed", cure);
  }
}

/** All checks of the configuration. */
export const notifierChecks: readonly Check[] = [configuration, notifiers];
