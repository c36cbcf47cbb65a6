import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { ended } from "../world/ended.ts";
import { isRoot, namespaceObstacle, unshareFlags } from "../world/namespaces.ts";

/** The folders of a sandbox. */
export interface Sandbox {
  /** Folder that holds `home`, `out` and `log.txt`; created if missing. */
  readonly folder: string;
  /** Folders of the agent's package and of its Node. */
  readonly agent: string;
  readonly agentNode: string;
}

const repository = join(import.meta.dirname, "..", "..");
const script = join(import.meta.dirname, "sandbox.sh");

/** Describes what a sandbox needs and this machine lacks, with advice; undefined if nothing is missing. */
export function missingForSandbox(): string | undefined {
  if (process.platform !== "linux") return "Real agents are run in Linux namespaces: this is no Linux.";
  for (const program of ["unshare", "ip", "tmux", "git", "setpriv"]) {
    if (spawnSync("sh", ["-c", `command -v ${program}`]).status === 0) continue;
    return `${program} is not installed. On Debian, run scripts/install-real.sh.`;
  }
  const obstacle = namespaceObstacle();
  return obstacle && `Agents are run in namespaces alone, and ${obstacle}`;
}

/**
 * Runs a command of the repository in a sandbox and waits for its end.
 * @returns its exit code; `undefined` if it was killed after `maxSeconds`
 */
export function runInSandbox({ folder, agent, agentNode }: Sandbox, command: readonly string[], maxSeconds: number) {
  for (const name of ["home/shop", "out"]) mkdirSync(join(folder, name), { recursive: true });
  const log = openSync(join(folder, "log.txt"), "w");
  const folders = { SANDBOX: folder, BECKON: repository, AGENT: agent, AGENT_NODE: agentNode };
  const child = spawn("unshare", [...unshareFlags, "bash", script, "/home/bin/node", ...command], {
    env: { PATH: process.env["PATH"], NODE: process.execPath, REAL_ROOT: isRoot ? "1" : "", ...folders },
    stdio: ["ignore", log, log],
  });
  return ended(child, maxSeconds);
}
