import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A run of a command, by the clock. */
export interface MeteredRun {
  /** Start, in fractional Unix milliseconds. */
  readonly beganAtMs: number;
  readonly wallMs: number;
}

/** Times of a command's runs, without the first one. */
export interface Metered {
  /** Mean processor time. */
  readonly cpuMs: number;
  /** Wall time, run by run. */
  readonly wallsMs: readonly number[];
}

/** Measures the runs of a command. */
export interface Meter {
  /** Runs it once. */
  run(): Promise<MeteredRun>;
  stop(): Metered;
}

/**
 * A small process starts the command, as Node would first copy its own memory, a hundred times larger, which on some
 * machines takes longer than the command. `times` reports all commands that bash has waited for, which excludes a
 * background worker. Node has no equivalent.
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
 * @param input the file whose text, 64 KiB at most, is the command's standard input; read again for each run
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
