import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository } from "../world/home.ts";
import type { CheckResult } from "./inside/check.ts";

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

/** Fails a result whose calls differ from the platform's fixture, or writes the fixture. */
export function compareCalls(name: string, { calls, ...result }: CheckResult, update: boolean): CheckResult {
  if (!calls) return result;
  const fixture = join(repository, "test", "fixtures", "platforms", `${name}.json`);
  const text = `${JSON.stringify(calls, null, 2)}\n`;
  if (update) {
    mkdirSync(dirname(fixture), { recursive: true });
    writeFileSync(fixture, text);
  }
  const expected = existsSync(fixture) ? readFileSync(fixture, "utf8") : "";
  const note = `${calls.length} calls of ${[...new Set(calls.map(({ program }) => program))].join(", ")}`;
  if (text === expected) return { ...result, note };
  return { ...result, failure: `not as in ${fixture} (--update rewrites it):\n${text}` };
}
