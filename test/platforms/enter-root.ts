import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { ended } from "../world/ended.ts";
import { isRoot, unshareFlags } from "../world/namespaces.ts";
import { buildPath } from "./make-root.ts";
import { readResults, type World } from "./platform.ts";
import type { Root } from "./roots.ts";
import { checksProgram } from "./stage.ts";

const script = join(import.meta.dirname, "enter-root.sh");

/** Folder of the root itself, which `makeRoot` lays out. */
export const rootFolder = ({ folder }: World): string => join(folder, "root");

/** A run of the checks' program in a root. */
interface RootRun {
  readonly phase: string;
  /** Last argument of the program; see `inside/run.ts`. */
  readonly argument: string;
  readonly maxSeconds: number;
  readonly nodeOptions?: readonly string[];
}

/** Runs the checks' program in a root, with its Node and as an ordinary user. Returns the results. */
export async function runInRoot(root: Root, world: World, { phase, argument, maxSeconds, nodeOptions = [] }: RootRun) {
  const streams = { stdout: join(world.folder, `${phase}.jsonl`), stderr: join(world.folder, `${phase}.txt`) };
  const folders = { ROOT: rootFolder(world), NODE: await world.nodeOf(root.node), BECKON: world.beckon };
  const args = [...nodeOptions, `/opt/beckon/${checksProgram}`, phase, root.name, argument];
  const child = spawn("unshare", [...unshareFlags, "bash", script, ...args], {
    env: { PATH: process.env["PATH"], REAL_ROOT: isRoot ? "1" : "", ROOT_PATH: buildPath(root), ...folders },
    stdio: ["ignore", openSync(streams.stdout, "w"), openSync(streams.stderr, "w")],
  });
  return readResults(streams, await ended(child, maxSeconds));
}
