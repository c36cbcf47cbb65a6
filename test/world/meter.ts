import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A run of a command, by the clock. */
export interface MeteredRun {
  /** When it was started, Unix milliseconds with their fractions. */
  readonly beganAtMs: number;
  readonly wallMs: number;
}

/** What the runs of a command took, the first one aside. */
export interface Metered {
  /** Mean of the processor's time. */
  readonly cpuMs: number;
  /** Time by the clock, run by run. */
  readonly wallsMs: readonly number[];
}

/** Measures what a command takes, run after run. */
export interface Meter {
  /** Runs it once. */
  run(): Promise<MeteredRun>;
  stop(): Metered;
}

/**
 * A small process starts the command: of Node, which has a hundred times its memory, a copy would be made first, and on
 * some machines that takes longer than the command. `times` says what all commands so far took that bash has waited
 * for: a worker, which goes on by itself, is not among them. Node has nothing that tells.
 */
const script = `while read -r _; do
  input=$(<"$INPUT")
  began=$EPOCHREALTIME
  "$@" <<<"$input" >/dev/null # from a pipe, which bash fills and closes before
  ended=$EPOCHREALTIME
  echo "$began $ended"
  times # two lines: its own, and its children's
done`;

/**
 * @param bash 5 or newer
 * @param input the file whose text, 64 KiB at most, is the command's standard input; read anew for each run
 */
export function createMeter(bash: string, command: readonly string[], input: string, env: NodeJS.ProcessEnv): Meter {
  const child = spawn(bash, ["-c", script, "bash", ...command], {
    env: { ...env, INPUT: input, LC_ALL: "C" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const runs: { readonly wallMs: number; readonly cpuSoFarMs: number }[] = [];
  return {
    async run() {
      child.stdin.write("\n");
      const [clock, , used] = [await lines.next(), await lines.next(), await lines.next()];
      const [beganAtMs = 0, endedAtMs = 0] = String(clock.value)
        .split(" ")
        .map((seconds) => Number(seconds) * 1000);
      const run = { beganAtMs, wallMs: endedAtMs - beganAtMs };
      runs.push({ ...run, cpuSoFarMs: parseTimesMs(String(used.value)) });
      return run;
    },
    stop() {
      child.kill();
      const [first, ...others] = runs;
      const cpuMs = ((others.at(-1)?.cpuSoFarMs ?? 0) - (first?.cpuSoFarMs ?? 0)) / others.length;
      return { cpuMs, wallsMs: others.map(({ wallMs }) => wallMs) };
    },
  };
}

/** Milliseconds of a line of `times`: `0m0.012s 0m0.003s`, of a process and of the system for it. */
export function parseTimesMs(line: string): number {
  const partsMs = line.split(" ").map((text) => {
    const [minutes, seconds] = text.replace("s", "").split("m").map(Number);
    return (minutes ?? 0) * 60_000 + (seconds ?? 0) * 1000;
  });
  return partsMs.reduce((sum, ms) => sum + ms, 0);
}
