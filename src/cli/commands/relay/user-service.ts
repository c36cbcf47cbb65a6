import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CommandError } from "../../../core/errors.ts";
import { makePrivateFolder, writePrivateFile } from "../../../files/atomic-file.ts";
import { commandFile } from "../../../installer/app/command-link.ts";
import { createExec } from "../../../io/exec.ts";
import { escapeEntities } from "../../../text/html.ts";
import type { CliContext } from "../../context.ts";
import { jsonLine } from "../../output/json-line.ts";
import { say, shellPath, shortPath } from "../../say.ts";

/** Program that systemd or launchd runs for the user. */
interface Service {
  /** Part of the service's names in systemd and launchd: `beckon-relay.service`, `dev.beckon.relay`. */
  readonly name: "relay" | "nats";
  readonly description: string;
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Additional lines for systemd's `[Unit]` section. */
  readonly unitLines?: readonly string[];
  /** Additional lines for systemd's `[Service]` section. */
  readonly serviceLines?: readonly string[];
}

const commandTimeoutMs = 20_000;
const launchdDomain = `gui/${process.getuid?.() ?? 0}`;

/** Creates a service definition: for systemd on Linux, for launchd on macOS; undefined on other systems. */
function describeService(service: Service, folder: string, platform: NodeJS.Platform) {
  if (platform === "darwin") return { file: join(folder, `dev.beckon.${service.name}.plist`), text: plist(service) };
  if (platform !== "linux") return undefined;
  return { file: join(folder, `beckon-${service.name}.service`), text: systemdUnit(service) };
}

/**
 * Creates the definition of the service that runs `beckon relay run`, with the commands that start and stop it; undefined
 * except on Linux and macOS.
 */
export function relayService(
  { paths, environment: { home, platform, env } }: Pick<CliContext, "paths" | "environment">,
  node: string,
) {
  const isMac = platform === "darwin";
  const settings = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const folder = isMac ? join(home, "Library", "LaunchAgents") : join(settings, "systemd", "user");
  const service: Service = {
    name: "relay",
    description: "beckon: notifications from agents on other machines",
    words: [node, commandFile(paths), "relay", "run"],
    environment: { BECKON_HOME: paths.root },
    unitLines: ["After=graphical-session.target"],
  };
  const described = describeService(service, folder, platform);
  if (!described) return undefined;
  const systemctl = ["systemctl", "--user"];
  const start = isMac
    ? [["launchctl", "bootstrap", launchdDomain, described.file]]
    : [
        [...systemctl, "daemon-reload"],
        [...systemctl, "enable", "--now", "beckon-relay.service"],
      ];
  const stop = isMac
    ? ["launchctl", "bootout", `${launchdDomain}/dev.beckon.relay`]
    : [...systemctl, "disable", "--now", "beckon-relay.service"];
  return { ...described, start, stop };
}

/**
 * Creates the definition of a NATS server's service, which stays in the server's folder until the user enables it, and
 * the command line that starts it now and at every login; undefined except on Linux and macOS.
 */
export function serverService(config: string, program: string, environment: CliContext["environment"]) {
  const service = { ...natsServer, words: [program, "-c", config] };
  const described = describeService(service, dirname(config), environment.platform);
  if (!described) return undefined;
  const shown = shellPath(described.file, environment);
  if (environment.platform !== "darwin") return { ...described, start: `systemctl --user enable --now ${shown}` };
  const agents = "~/Library/LaunchAgents";
  const start = `cp ${shown} ${agents}/ && launchctl bootstrap ${launchdDomain} ${agents}/dev.beckon.nats.plist`;
  return { ...described, start };
}

/**
 * Creates the service definition for a server of a cluster. The server runs from `~/beckon-nats` on another machine.
 */
export function clusterService(config: string) {
  const service = {
    ...natsServer,
    words: ["/usr/bin/env", "nats-server", "-c", basename(config)],
    serviceLines: ["WorkingDirectory=%h/beckon-nats", ...natsServer.serviceLines],
  };
  return { file: join(dirname(config), "beckon-nats.service"), text: systemdUnit(service) };
}

const natsServer = {
  name: "nats",
  description: "NATS server: keeps beckon's events until they are fetched",
  unitLines: ["After=network-online.target"],
  serviceLines: ["ExecReload=/bin/kill -HUP $MAINPID", "LimitNOFILE=65536"],
} as const;

/** Writes and starts the service of `beckon relay run`. @throws {CommandError} if it cannot be started */
export async function startService(json: boolean, context: CliContext): Promise<number> {
  const { paths, environment } = context;
  const node = (await readFile(paths.nodeRecord, "utf8").catch(() => "")).trim() || process.execPath;
  const service = relayService(context, node);
  if (!service) {
    throw new CommandError(
      `beckon cannot create a user service on ${environment.platform}`,
      "Make your system start `beckon relay run` when you log in.",
    );
  }
  makePrivateFolder(dirname(service.file));
  writePrivateFile(service.file, service.text);
  if (!json) say(`Wrote ${shortPath(service.file, environment)}`, context);
  const failed = await runAll(service.start, context);
  if (failed !== undefined) {
    throw new CommandError(
      `the service could not be started: ${failed}`,
      `Start it yourself: ${service.start.at(-1)?.join(" ")}`,
    );
  }
  if (json) context.print(jsonLine({ service: service.file }));
  else say("The service is running and starts at every login. For its connections: beckon relay status", context);
  return 0;
}

/** Stops and removes the service of `beckon relay run`. Returns its file; undefined if there was none. */
export async function removeService(context: CliContext): Promise<string | undefined> {
  const service = relayService(context, process.execPath);
  if (!service || !existsSync(service.file)) return undefined;
  await runAll([service.stop], context);
  await rm(service.file, { force: true });
  return service.file;
}

/** Runs commands one after the other until one fails. Returns that command's error. */
async function runAll(
  commands: readonly (readonly string[])[],
  { environment }: CliContext,
): Promise<string | undefined> {
  const exec = createExec(environment.env);
  for (const [file = "", ...args] of commands) {
    try {
      const { exitCode, stderr, stdout } = await exec.run({ file, args, timeoutMs: commandTimeoutMs });
      if (exitCode !== 0) return stderr.trim() || stdout.trim() || `${file} exited with code ${exitCode}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  return undefined;
}

/**
 * Formats a systemd user unit. Quoting rules:
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
 * Formats a launchd agent:
 * https://developer.apple.com/library/archive/documentation/MacOSX/Conceptual/BPSystemStartup/Chapters/CreatingLaunchdJobs.html
 */
function plist({ name, words, environment = {} }: Service): string {
  const text = (value: string): string => `<string>${escapeEntities(value)}</string>`;
  const variables = Object.entries(environment).map(
    ([key, value]) => `<key>${escapeEntities(key)}</key>${text(value)}`,
  );
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
