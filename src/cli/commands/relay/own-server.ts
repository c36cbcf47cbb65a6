import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RelayUp } from "../../../../docs/output.d.ts";
import { CommandError, DeliveryError, InputError, UsageError } from "../../../core/errors.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { expandHome, type Paths } from "../../../files/paths.ts";
import { createExec } from "../../../io/exec.ts";
import { lastingPath, searchFolders, which } from "../../../io/which.ts";
import type { OwnServer } from "../../../relay/server/server-settings.ts";
import { configFile } from "../../../relay/server/server-text.ts";
import { dayMs, parseDuration } from "../../../text/time.ts";
import type { CliContext } from "../../context.ts";
import { shellPath, shortPath } from "../../say.ts";

/** Maximum validity of an invitation, milliseconds: about 27 years. */
const maxExpiryMs = 9_999 * dayMs;

/** Reads the settings of this machine's server. @throws {CommandError} without a server */
export async function requireServer({ paths }: Pick<CliContext, "paths">): Promise<OwnServer> {
  const { readServer } = await import("../../../relay/server/server-settings.ts");
  const server = readServer(paths);
  if (server) return server;
  throw new CommandError("no server is set up on this machine", "To set one up: beckon relay up");
}

/**
 * Runs a function that needs the server.
 * @throws {CommandError} if the server cannot be reached, with the command that starts it
 */
export async function withReachableServer<T>(
  server: OwnServer,
  { environment }: Pick<CliContext, "environment">,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof InputError) throw new CommandError(error.message, "For details: beckon relay status");
    if (!(error instanceof DeliveryError)) throw error;
    const { listOwnAddresses } = await import("../../../relay/server/server-settings.ts");
    const where = listOwnAddresses(server.settings).join(", ");
    if (error.reason !== "unavailable")
      throw new CommandError(`${where}: ${error.message}`, error.hint ?? rewriteFilesHint);
    const start = server.settings.isCluster
      ? "Start nats-server on each of them. For the commands: beckon relay up"
      : `Start it with \`${formatStartCommand(server, environment)}\`, or as a service: see \`beckon relay up\`.`;
    throw new CommandError(`the server does not answer at ${where} (${error.message})`, start);
  }
}

const rewriteFilesHint = "Run `beckon relay up` to write its files again, then restart it.";

/** Parses the validity of an invitation to milliseconds; undefined for no limit. @throws {UsageError} */
export function parseExpiry(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text, ["h", "d"]);
  if (ms > 0 && ms <= maxExpiryMs) return ms;
  throw new UsageError(
    `--expires must be a duration such as 12h or 30d, not ${JSON.stringify(text)}`,
    "See `beckon relay invite --help`.",
  );
}

type Environment = CliContext["environment"];

/** Folders for server programs that are often missing from PATH. */
const serverFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/opt/homebrew/bin"];
const versionTimeoutMs = 10_000;

/** Program of the NATS server; its version is absent if the program does not print it. */
export type ServerProgram = Readonly<NonNullable<RelayUp["program"]>>;

/** Finds nats-server on this machine; undefined if it is missing. */
export async function findServerProgram({ env, home }: Environment): Promise<ServerProgram | undefined> {
  const found = which("nats-server", env, [...searchFolders(env), ...serverFolders]);
  if (found === undefined) return undefined;
  const run = createExec(env).run({ file: found, args: ["--version"], timeoutMs: versionTimeoutMs });
  const said = await run.catch(() => undefined);
  const version = /\bv?(\d+\.\d+\.\d+)/.exec(said?.stdout ?? "")?.[1];
  return { file: lastingPath(found, home), ...omitUndefined({ version }) };
}

/** Returns the command line that starts this machine's server in the foreground. */
export function formatStartCommand(
  { files }: Pick<OwnServer, "files">,
  environment: Pick<Environment, "home">,
): string {
  return `nats-server -c ${shellPath(join(files.folder, configFile), environment)}`;
}

/** Returns the path of the file with a person's credentials. */
export function credentialsFile({ relay }: Pick<Paths, "relay">, name: string): string {
  return join(relay, name === "host" ? "person-host.creds" : `${name}.creds`);
}

/** Returns the path of the file with the credentials with which this machine sends events. */
export function hostCredentialsFile({ relay }: Pick<Paths, "relay">): string {
  return join(relay, "host.creds");
}

/** Builds a reference to a file for the configuration: `${file:~/.beckon/relay/host.creds}`. */
export function referenceTo(file: string, { environment }: Pick<CliContext, "environment">): string {
  return `\${file:${shortPath(file, environment)}}`;
}

/** Deletes the credentials file that a reference names, if `beckon relay join` or `beckon relay up` created it. */
export function removeCredentials(reference: string, { paths }: Pick<CliContext, "paths">): void {
  const [, name] = /^\$\{file:(.+)\}$/.exec(reference) ?? [];
  const file = expandHome(name ?? "");
  if (dirname(file) === paths.relay && file.endsWith(".creds")) rmSync(file, { force: true });
}
