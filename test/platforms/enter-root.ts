import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { ended } from "../world/ended.ts";
import { isRoot, unshareFlags } from "../world/namespaces.ts";
import { buildPath } from "./make-root.ts";
import type { Root } from "./roots.ts";

const script = join(import.meta.dirname, "enter-root.sh");

/** Folders with which a root is entered. */
export interface Entry {
  /** Folder of the root itself, laid out by `makeRoot`. */
  readonly folder: string;
  /** Folder that holds `bin/node`. */
  readonly node: string;
  /** This repository, or a copy of the parts that the checks need. */
  readonly beckon: string;
  /** File for standard output and standard error. */
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program in a root, with its Node and as an ordinary user, and waits for its end.
 * @param args of Node
 * @returns its exit code; `undefined` if it was killed after `maxSeconds`
 */
export function runInRoot(root: Root, entry: Entry, args: readonly string[], maxSeconds: number) {
  const folders = { ROOT: entry.folder, NODE: entry.node, BECKON: entry.beckon, ROOT_PATH: buildPath(root) };
  const child = spawn("unshare", [...unshareFlags, "bash", script, ...args], {
    env: { PATH: process.env["PATH"], REAL_ROOT: isRoot ? "1" : "", ...folders },
    stdio: ["ignore", openSync(entry.stdout, "w"), openSync(entry.stderr, "w")],
  });
  return ended(child, maxSeconds);
}
