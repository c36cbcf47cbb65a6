import { join } from "node:path";
import { createExec } from "../../../io/exec.ts";
import { lastingPath, searchFolders, which } from "../../../io/which.ts";
import type { Node, OwnServer } from "../../../relay/server/server-settings.ts";
import { configFile } from "../../../relay/server/server-text.ts";
import type { CliContext } from "../../context.ts";
import { shortPath } from "../../short-path.ts";
import { plist, type ServiceText, systemdUnit } from "./unit-text.ts";

type Environment = CliContext["environment"];

/** Folders of servers that are not always on the PATH of a person. */
const moreFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/opt/homebrew/bin"];
const versionMs = 10_000;
const label = "dev.beckon.nats";
const unitFile = "beckon-nats.service";

/** The server's program. */
export interface ServerProgram {
  readonly file: string;
  /** Such as `2.15.1`; undefined where it does not say one. */
  readonly version: string | undefined;
}

/** The nats-server of this machine; undefined where there is none. */
export async function findServerProgram({ env, home }: Environment): Promise<ServerProgram | undefined> {
  const found = which("nats-server", env, [...searchFolders(env), ...moreFolders]);
  if (found === undefined) return undefined;
  const run = createExec(env).run({ file: found, args: ["--version"], timeoutMs: versionMs });
  const said = await run.catch(() => undefined);
  return { file: lastingPath(found, home), version: /\bv?(\d+\.\d+\.\d+)/.exec(said?.stdout ?? "")?.[1] };
}

/** A service that runs a server, in a file of the server's own folder: whoever wants it enables it. */
export interface ServerService {
  readonly file: string;
  readonly text: string;
  /** What a person types to have it run now and from every login on. */
  readonly start: string;
}

/** The service of the server on this machine; undefined where its system has none that beckon knows. */
export function serverService(
  { folder }: Node,
  program: string,
  { platform, home }: Environment,
): ServerService | undefined {
  const shown = (file: string): string => shellWord(shortPath(file, { home }));
  const words = [program, "-c", join(folder, configFile)];
  if (platform === "darwin") {
    const file = join(folder, `${label}.plist`);
    const domain = `gui/${process.getuid?.() ?? 0}`;
    const agents = "~/Library/LaunchAgents";
    const start = `cp ${shown(file)} ${agents}/ && launchctl bootstrap ${domain} ${agents}/${label}.plist`;
    return { file, text: plist(label, { description: "", words }), start };
  }
  if (platform !== "linux") return undefined;
  const file = join(folder, unitFile);
  return {
    file,
    text: systemdUnit({ ...unit, words }),
    start: `systemctl --user enable --now ${shown(file)}`,
  };
}

/** The unit of a cluster's server, for the folder `beckon-nats` in a home folder elsewhere. */
export function clusterUnit(): { readonly name: string; readonly text: string } {
  const { serviceLines } = unit;
  const words = ["/usr/bin/env", "nats-server", "-c", configFile];
  const text = systemdUnit({ ...unit, words, serviceLines: ["WorkingDirectory=%h/beckon-nats", ...serviceLines] });
  return { name: unitFile, text };
}

/** How the server of this machine is started by hand. */
export function startByHand({ files }: Pick<OwnServer, "files">, { home }: Pick<Environment, "home">): string {
  return `nats-server -c ${shellWord(shortPath(join(files.folder, configFile), { home }))}`;
}

const unit: Omit<ServiceText, "words"> & { readonly serviceLines: readonly string[] } = {
  description: "NATS: keeps what agents have to say until it is fetched",
  unitLines: ["After=network-online.target"],
  serviceLines: ["ExecReload=/bin/kill -HUP $MAINPID", "LimitNOFILE=65536"],
};

/** A path as a shell reads it; `~` keeps its meaning. */
function shellWord(path: string): string {
  return /^[\w./~@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
