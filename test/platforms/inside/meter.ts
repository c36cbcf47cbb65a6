import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Measures what a command takes, run after run. */
export interface Meter {
  /** Runs it once. */
  run(): Promise<void>;
  /** What a run took, the first one aside: the mean of the processor's time, the lower quartile of the clock's. */
  stop(): { readonly cpuMs: number; readonly wallMs: number };
}

/**
 * `times` says what all commands so far took that bash has waited for: a worker, which goes on by itself, is not among
 * them. Node has nothing that tells.
 */
const script = `while read -r _; do
  began=$EPOCHREALTIME
  "$@" <"$INPUT" >/dev/null
  ended=$EPOCHREALTIME
  echo "$began $ended"
  times # two lines: its own, and its children's
done`;

/**
 * @param bash 5 or newer
 * @param input the file that is the command's standard input
 */
export function createMeter(bash: string, command: readonly string[], input: string, env: NodeJS.ProcessEnv): Meter {
  const child = spawn(bash, ["-c", script, "bash", ...command], {
    env: { ...env, INPUT: input },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const runs: { readonly cpuMs: number; readonly wallMs: number }[] = [];
  return {
    async run() {
      child.stdin.write("\n");
      const [clock, , used] = [await lines.next(), await lines.next(), await lines.next()];
      runs.push(parseRun(clock.value, used?.value));
    },
    stop() {
      child.kill();
      const [first, ...others] = runs;
      const cpuMs = ((others.at(-1)?.cpuMs ?? 0) - (first?.cpuMs ?? 0)) / others.length;
      const walls = others.map(({ wallMs }) => wallMs).sort((a, b) => a - b);
      return { cpuMs, wallMs: walls[Math.floor(walls.length / 4)] ?? 0 };
    },
  };
}

/** `1763800000.123456 1763800000.234567` and `0m0.012s 0m0.003s` */
function parseRun(clock: string, used: string) {
  const [began = 0, ended = 0] = clock.split(" ").map(Number);
  const cpuMs = used.split(" ").map((text) => {
    const [minutes, seconds] = text.replace("s", "").split("m").map(Number);
    return (minutes ?? 0) * 60_000 + (seconds ?? 0) * 1000;
  });
  return { cpuMs: cpuMs.reduce((sum, ms) => sum + ms, 0), wallMs: (ended - began) * 1000 };
}
