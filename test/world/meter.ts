import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Measures the runs of a command. */
export type Meter = ReturnType<typeof createMeter>;
/** Times of a command's runs, without the first run. */
export type Metered = ReturnType<Meter["stop"]>;

/**
 * Program that starts the command. Node would first copy its own memory, which is a hundred times larger and on some
 * machines takes longer to copy than the command to run. `times` reports all commands that bash has waited for, which
 * excludes a background worker; Node has no equivalent.
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
 * Creates a meter.
 * @param bash bash 5 or newer
 * @param input file whose text, 64 KiB at most, is the command's standard input; read again for each run
 */
export function createMeter(bash: string, command: readonly string[], input: string, env: NodeJS.ProcessEnv) {
  const all = { ...env, INPUT: input, LC_ALL: "C" };
  const child = spawn(bash, ["-c", script, "bash", ...command], { env: all, stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const runs: { readonly wallMs: number; readonly cpuSoFarMs: number }[] = [];
  return {
    /** Runs it once. Returns its start, in fractional Unix milliseconds, and its wall time. */
    async run() {
      child.stdin.write("\n");
      const [clock, , used] = [await lines.next(), await lines.next(), await lines.next()];
      const [began, ended] = String(clock.value).split(" ");
      const [beganAtMs, endedAtMs] = [Number(began) * 1000, Number(ended) * 1000];
      const run = { beganAtMs, wallMs: endedAtMs - beganAtMs };
      runs.push({ ...run, cpuSoFarMs: parseTimesMs(String(used.value)) });
      return run;
    },
    /** Returns the mean processor time, and the wall times run by run. */
    stop() {
      child.kill();
      const [first, ...others] = runs;
      const cpuMs = ((others.at(-1)?.cpuSoFarMs ?? 0) - (first?.cpuSoFarMs ?? 0)) / others.length;
      return { cpuMs, wallsMs: others.map(({ wallMs }) => wallMs) };
    },
  };
}

/** Parses a line of `times` to milliseconds: `0m0.012s 0m0.003s`, of a process and of the system for the process. */
export function parseTimesMs(line: string): number {
  const partsMs = line.split(" ").map((text) => {
    const [minutes, seconds] = text.replace("s", "").split("m").map(Number);
    return (minutes ?? 0) * 60_000 + (seconds ?? 0) * 1000;
  });
  return partsMs.reduce((sum, ms) => sum + ms, 0);
}
