import { readFileSync } from "node:fs";
import type { CheckResult } from "./inside/result.ts";

/** A platform, or what stands in for one. */
export interface Platform {
  readonly name: string;
  /** What people run that is like it. */
  readonly standsFor: string;
  /** What this machine lacks for it, and what to do; `undefined` if nothing. */
  missing(): string | undefined;
  /** Runs the checks whose names match. Throws where they could not be run. */
  check(world: World): Promise<readonly CheckResult[]>;
  /** Runs those that measure time: alone on the machine. */
  measure?(world: World): Promise<readonly CheckResult[]>;
}

/** What a platform is given. */
export interface World {
  /** Its own folder. */
  readonly folder: string;
  /** The staged repository; see `stage`. */
  readonly beckon: string;
  /** The folder of a Node, by its key in `versions.json`. */
  nodeOf(key: string): Promise<string>;
  /** A regular expression for names of checks; empty: all. */
  readonly checks: string;
  /** Absolute path of the bash of the root `macos`; `undefined`: Debian's. */
  readonly bash: string | undefined;
  /** Whether to rewrite fixtures. */
  readonly update: boolean;
}

/** The results that the checks' program printed. Throws with its last words if it did not come to its end. */
export function readResults({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }, code: unknown) {
  const lines = readFileSync(stdout, "utf8").split("\n").filter(Boolean);
  if (code === 0) return lines.map((line): CheckResult => JSON.parse(line));
  const words = readFileSync(stderr, "utf8").trim().slice(-1000);
  throw new Error(`the checks ended with ${code ?? "no exit code"} after ${lines.length}: ${words}`);
}
