import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CommandError } from "../../../core/errors.ts";
import { makePrivateFolder, writePrivateFile } from "../../../files/atomic-file.ts";
import { commandFile } from "../../../installer/app/command-link.ts";
import { createExec } from "../../../io/exec.ts";
import type { CliContext } from "../../context.ts";
import { say } from "../../say.ts";
import { shortPath } from "../../short-path.ts";
import { plist, type ServiceText, systemdUnit } from "./unit-text.ts";

/** A service of the user's own, as its system has it: the file that describes it, and what starts and stops it. */
interface UserService {
  readonly file: string;
  readonly text: string;
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
}

const label = "dev.beckon.relay";
const unit = "beckon-relay.service";
const commandMs = 20_000;

/**
 * The service that runs `beckon relay run` from every login on. Undefined where the system has none that beckon knows.
 */
export function relayService(
  { paths, environment: { home, platform, env } }: Pick<CliContext, "paths" | "environment">,
  node: string,
): UserService | undefined {
  const service: ServiceText = {
    description: "beckon: agents on other machines call you here",
    words: [node, commandFile(paths), "relay", "run"],
    environment: { BECKON_HOME: paths.root },
    unitLines: ["After=graphical-session.target"],
  };
  if (platform === "darwin") {
    const file = join(home, "Library", "LaunchAgents", `${label}.plist`);
    const domain = `gui/${process.getuid?.() ?? 0}`;
    return {
      file,
      text: plist(label, service),
      start: [["launchctl", "bootstrap", domain, file]],
      stop: [["launchctl", "bootout", `${domain}/${label}`]],
    };
  }
  if (platform !== "linux") return undefined;
  const folder = env["XDG_CONFIG_HOME"] || join(home, ".config");
  return {
    file: join(folder, "systemd", "user", unit),
    text: systemdUnit(service),
    start: [
      ["systemctl", "--user", "daemon-reload"],
      ["systemctl", "--user", "enable", "--now", unit],
    ],
    stop: [["systemctl", "--user", "disable", "--now", unit]],
  };
}

/** Writes the service and starts it. @throws {CommandError} where the system has none, or it cannot be started */
export async function startService(context: CliContext): Promise<number> {
  const { paths, environment } = context;
  const node = (await readFile(paths.nodeRecord, "utf8").catch(() => "")).trim() || process.execPath;
  const service = relayService(context, node);
  if (!service) {
    throw new CommandError(
      `beckon knows no service of the user's own on ${environment.platform}`,
      "Start `beckon relay run` when you log in, by what your system has for that.",
    );
  }
  makePrivateFolder(dirname(service.file));
  writePrivateFile(service.file, service.text);
  say(`${shortPath(service.file, environment)} is written.`, context);
  const failed = await runAll(service.start, context);
  if (failed !== undefined) {
    throw new CommandError(
      `it could not be started: ${failed}`,
      `Start it yourself: ${service.start.at(-1)?.join(" ")}`,
    );
  }
  say("It runs now, and from every login on. `beckon relay status` shows how it goes.", context);
  return 0;
}

/** Stops and removes the service. Returns its file, for people; undefined where there was none. */
export async function removeService(context: CliContext): Promise<string | undefined> {
  const service = relayService(context, process.execPath);
  if (!service || !existsSync(service.file)) return undefined;
  await runAll(service.stop, context);
  await rm(service.file, { force: true });
  return shortPath(service.file, context.environment);
}

/** Runs commands in turn. Returns what went wrong with the first that failed. */
async function runAll(
  commands: readonly (readonly string[])[],
  { environment }: CliContext,
): Promise<string | undefined> {
  const exec = createExec(environment.env);
  for (const [file = "", ...args] of commands) {
    try {
      const env = busOf(environment.env);
      const { exitCode, stderr, stdout } = await exec.run({ file, args, env, timeoutMs: commandMs });
      if (exitCode !== 0) return stderr.trim() || stdout.trim() || `${file} ended with code ${exitCode}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  return undefined;
}

/** Where the user's own systemd is found. */
function busOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const runtime = env["XDG_RUNTIME_DIR"];
  return runtime === undefined ? {} : { XDG_RUNTIME_DIR: runtime };
}
