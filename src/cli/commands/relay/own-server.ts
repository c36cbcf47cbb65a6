import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RelayUp } from "../../../../docs/output.d.ts";
import { UsageError } from "../../../core/errors.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { expandHome, type Paths } from "../../../files/paths.ts";
import { createExec } from "../../../io/exec.ts";
import { lastingPath, searchFolders, which } from "../../../io/which.ts";
import { nameToken } from "../../../relay/nats/names.ts";
import type { OwnServer } from "../../../relay/server/server-settings.ts";
import { configFile } from "../../../relay/server/server-text.ts";
import type { CliContext } from "../../context.ts";
import { shellPath, shortPath } from "../../say.ts";

/** Checks the name of a team or a person, if there is one. @throws {UsageError} */
export function checkName<Name extends string | undefined>(name: Name, option: string, help: string): Name {
  if (name === undefined || nameToken.test(name)) return name;
  const rule = "letters, digits and -, at most 31";
  throw new UsageError(`${option}: ${JSON.stringify(name)} is not a valid name (${rule})`, help);
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
