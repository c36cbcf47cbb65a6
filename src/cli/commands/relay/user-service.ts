import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CommandError } from "../../../core/errors.ts";
import { makePrivateFolder, writePrivateFile } from "../../../files/atomic-file.ts";
import { commandFile } from "../../../installer/app/command-link.ts";
import { createExec } from "../../../io/exec.ts";
import type { CliContext } from "../../context.ts";
import { say } from "../../say.ts";
import { shellPath, shortPath } from "../../short-path.ts";

type Environment = CliContext["environment"];

/** A program that systemd or launchd runs for the user. */
interface Service {
  /** Its part of the names that systemd and launchd have for it: `beckon-relay.service`, `dev.beckon.relay`. */
  readonly name: "relay" | "nats";
  readonly description: string;
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** More lines of `[Unit]` and `[Service]`, as systemd has them. */
  readonly unitLines?: readonly string[];
  readonly serviceLines?: readonly string[];
}

/** The file that describes a service to the system. */
interface ServiceFile {
  readonly file: string;
  readonly text: string;
}

/** The service of `beckon relay run`, and the commands that start and stop it. */
interface RelayService extends ServiceFile {
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
}

/** The service of a NATS server, in the server's own folder until its user enables it. */
interface ServerService extends ServiceFile {
  /** The command line that starts it now and from every login on. */
  readonly start: string;
}

const commandMs = 20_000;
const launchdDomain = `gui/${process.getuid?.() ?? 0}`;

/** Describes a service to systemd or launchd; undefined on a system with neither. */
function describeService(service: Service, folder: string, platform: NodeJS.Platform): ServiceFile | undefined {
  if (platform === "darwin") return { file: join(folder, `dev.beckon.${service.name}.plist`), text: plist(service) };
  if (platform !== "linux") return undefined;
  return { file: join(folder, `beckon-${service.name}.service`), text: systemdUnit(service) };
}

/** Describes the service that runs `beckon relay run` from every login on; undefined without systemd and launchd. */
export function relayService(
  { paths, environment: { home, platform, env } }: Pick<CliContext, "paths" | "environment">,
  node: string,
): RelayService | undefined {
  const isMac = platform === "darwin";
  const settings = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const folder = isMac ? join(home, "Library", "LaunchAgents") : join(settings, "systemd", "user");
  const service: Service = {
    name: "relay",
    description: "beckon: agents on other machines call you here",
    words: [node, commandFile(paths), "relay", "run"],
    environment: { BECKON_HOME: paths.root },
    unitLines: ["After=graphical-session.target"],
  };
  const described = describeService(service, folder, platform);
  if (!described) return undefined;
  if (isMac) {
    return {
      ...described,
      start: [["launchctl", "bootstrap", launchdDomain, described.file]],
      stop: [["launchctl", "bootout", `${launchdDomain}/dev.beckon.relay`]],
    };
  }
  const systemctl = ["systemctl", "--user"];
  return {
    ...described,
    start: [
      [...systemctl, "daemon-reload"],
      [...systemctl, "enable", "--now", "beckon-relay.service"],
    ],
    stop: [[...systemctl, "disable", "--now", "beckon-relay.service"]],
  };
}

/** Describes the service of a NATS server with this configuration; undefined without systemd and launchd. */
export function serverService(config: string, program: string, environment: Environment): ServerService | undefined {
  const service = { ...natsServer, words: [program, "-c", config] };
  const described = describeService(service, dirname(config), environment.platform);
  if (!described) return undefined;
  const shown = shellPath(described.file, environment);
  if (environment.platform !== "darwin") return { ...described, start: `systemctl --user enable --now ${shown}` };
  const agents = "~/Library/LaunchAgents";
  const start = `cp ${shown} ${agents}/ && launchctl bootstrap ${launchdDomain} ${agents}/dev.beckon.nats.plist`;
  return { ...described, start };
}

/** Describes the service of a cluster's server, for the folder `beckon-nats` in a home folder elsewhere. */
export function clusterService(config: string): ServiceFile {
  const service = {
    ...natsServer,
    words: ["/usr/bin/env", "nats-server", "-c", basename(config)],
    serviceLines: ["WorkingDirectory=%h/beckon-nats", ...natsServer.serviceLines],
  };
  return { file: join(dirname(config), "beckon-nats.service"), text: systemdUnit(service) };
}

const natsServer = {
  name: "nats",
  description: "NATS: keeps what agents have to say until it is fetched",
  unitLines: ["After=network-online.target"],
  serviceLines: ["ExecReload=/bin/kill -HUP $MAINPID", "LimitNOFILE=65536"],
} as const;

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

/**
 * A user unit. Of systemd's own quoting:
 * https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html#Command%20lines
 */
function systemdUnit({ description, words, environment = {}, unitLines = [], serviceLines = [] }: Service): string {
  const quoted = (word: string): string =>
    `"${word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("$", "$$$$")}"`;
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${quoted(`${name}=${value}`).replaceAll("$$", "$")}`,
  );
  return `${[
    "[Unit]",
    `Description=${description}`,
    ...unitLines,
    "",
    "[Service]",
    `ExecStart=${words.map(quoted).join(" ")}`,
    ...variables,
    ...serviceLines,
    "Restart=always",
    "RestartSec=5",
    "",
    "[Install]",
    "WantedBy=default.target",
  ].join("\n")}\n`;
}

/**
 * An agent of launchd:
 * https://developer.apple.com/library/archive/documentation/MacOSX/Conceptual/BPSystemStartup/Chapters/CreatingLaunchdJobs.html
 */
function plist({ name, words, environment = {} }: Service): string {
  const escaped = (value: string): string =>
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const text = (value: string): string => `<string>${escaped(value)}</string>`;
  const variables = Object.entries(environment).map(([key, value]) => `<key>${escaped(key)}</key>${text(value)}`);
  const environmentLines = variables.length
    ? `  <key>EnvironmentVariables</key>\n  <dict>${variables.join("")}</dict>\n`
    : "";
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>${text(`dev.beckon.${name}`)}
  <key>ProgramArguments</key>
  <array>${words.map(text).join("")}</array>
${environmentLines}  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
</dict>
</plist>
`;
}
