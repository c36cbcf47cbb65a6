import { readFileSync } from "node:fs";
import type { CheckResult } from "./inside/result.ts";

/** A platform or its stand-in. */
export interface Platform {
  readonly name: string;
  /** Platform that people use and that this one resembles. */
  readonly standsFor: string;
  /** Describes what is missing on this machine, with advice; undefined if nothing is missing. */
  missing(): string | undefined;
  /** Runs the checks whose names match. Throws if they could not be run. */
  check(world: World): Promise<readonly CheckResult[]>;
  /** Runs the timing checks, alone on the machine. */
  measure?(world: World): Promise<readonly CheckResult[]>;
}

/** Input of a platform. */
export interface World {
  /** Folder of the platform's own files. */
  readonly folder: string;
  /** Folder of the staged repository; see `stage`. */
  readonly beckon: string;
  /** Returns the folder of a Node, by its key in `versions.json`. */
  nodeOf(key: string): Promise<string>;
  /** Regular expression for names of checks; empty for all checks. */
  readonly checks: string;
  /** Absolute path of the bash of the root `macos`; undefined for Debian's. */
  readonly bash: string | undefined;
  /** True to rewrite fixtures. */
  readonly update: boolean;
}

/** Reads the results that the checks' program printed. Throws with its last output if it did not finish. */
export function readResults({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }, code: unknown) {
  const lines = readFileSync(stdout, "utf8").split("\n").filter(Boolean);
  if (code === 0) return lines.map((line): CheckResult => JSON.parse(line));
  const words = readFileSync(stderr, "utf8").trim().slice(-1000);
  throw new Error(`the checks ended with ${code ?? "no exit code"} after ${lines.length}: ${words}`);
}
