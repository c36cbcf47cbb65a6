import { join } from "node:path";
import { createExec } from "../../../io/exec.ts";
import { lastingPath, searchFolders, which } from "../../../io/which.ts";
import type { OwnServer } from "../../../relay/server/server-settings.ts";
import { configFile } from "../../../relay/server/server-text.ts";
import type { CliContext } from "../../context.ts";
import { shellPath } from "../../short-path.ts";

type Environment = CliContext["environment"];

/** Folders for server programs that are often missing from PATH. */
const serverFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/opt/homebrew/bin"];
const versionTimeoutMs = 10_000;

/** Program of the NATS server. */
export interface ServerProgram {
  readonly file: string;
  /** Version such as `2.15.1`; undefined if the program does not print it. */
  readonly version: string | undefined;
}

/** Finds nats-server on this machine; undefined if it is missing. */
export async function findServerProgram({ env, home }: Environment): Promise<ServerProgram | undefined> {
  const found = which("nats-server", env, [...searchFolders(env), ...serverFolders]);
  if (found === undefined) return undefined;
  const run = createExec(env).run({ file: found, args: ["--version"], timeoutMs: versionTimeoutMs });
  const said = await run.catch(() => undefined);
  return { file: lastingPath(found, home), version: /\bv?(\d+\.\d+\.\d+)/.exec(said?.stdout ?? "")?.[1] };
}

/** Returns the command line that starts this machine's server in the foreground. */
export function formatStartCommand(
  { files }: Pick<OwnServer, "files">,
  environment: Pick<Environment, "home">,
): string {
  return `nats-server -c ${shellPath(join(files.folder, configFile), environment)}`;
}
