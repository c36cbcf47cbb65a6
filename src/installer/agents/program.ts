import type { Agent } from "../../core/agent.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { ExecPort } from "../../core/ports.ts";

/** An agent's program on PATH. */
export interface FoundProgram {
  /** Absolute path. */
  readonly file: string;
  /** Absent where it did not answer in time. */
  readonly version?: string;
}

/** How long an agent may take to print its version, milliseconds. */
const versionMs = 5_000;

/** Looks for an agent's program and asks it for its version. Never throws, never hangs. */
export async function findProgram(
  { settings }: Pick<Agent, "settings">,
  exec: ExecPort,
  timeoutMs = versionMs,
): Promise<FoundProgram | undefined> {
  const file = settings?.program?.files.map((name) => exec.which(name)).find((found) => found !== undefined);
  if (file === undefined) return undefined;
  try {
    const { stdout, stderr } = await exec.run({ file, args: ["--version"], timeoutMs });
    const version = versionIn(stdout) ?? versionIn(stderr);
    return { file, ...omitUndefined({ version }) };
  } catch {
    return { file }; // it hung or could not be started: its version stays unknown
  }
}

/** Why a version of an agent's program is too old, in words; undefined where it is new enough or unknown. */
export function tooOldFor({ settings }: Pick<Agent, "settings">, version: string | undefined): string | undefined {
  const minimum = settings?.program?.minimumVersion;
  if (!minimum || version === undefined || compareVersions(version, minimum.version) >= 0) return undefined;
  return `${version} is older than ${minimum.version}: ${minimum.reason}`;
}

/** The first `n.n.n` in a text, or undefined. */
export function versionIn(text: string): string | undefined {
  return /\d+\.\d+\.\d+/.exec(text)?.[0];
}

/** Below 0: `a` is older than `b`; 0: the same. Only the numbers count, missing ones are 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

function numbersOf(version: string): number[] {
  const numbers = (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
  return [0, 1, 2].map((index) => numbers[index] ?? 0);
}
