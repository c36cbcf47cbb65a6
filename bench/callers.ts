import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { parseTimesMs } from "../test/world/meter.ts";

/** What came of callers that ran a command again and again. */
export interface Called {
  /** From the first start to the last end, milliseconds. */
  readonly tookMs: number;
  /** Time by the clock of each run, milliseconds. */
  readonly timesMs: readonly number[];
  /** Processor time of all runs together, milliseconds. */
  readonly cpuMs: number;
}

/** A caller, as small as an agent's shell: a copy of this process, for each run, would cost more than the run. */
const script = `for ((run = 0; run < RUNS; run++)); do
  began=$EPOCHREALTIME
  "$@" <<<"{\\"hook_event_name\\":\\"Stop\\",\\"session_id\\":\\"s-$CALLER-$run\\",\\"cwd\\":\\"/tmp\\"}" >/dev/null
  echo "$began $EPOCHREALTIME"
done
times # two lines: its own, and its children's`;

/**
 * Runs a command, given a Stop of a session of its own, by some callers at once, each so many times in a row.
 * @param runs of each caller
 */
export async function runCallers(
  command: readonly string[],
  callers: number,
  runs: number,
  env: NodeJS.ProcessEnv,
): Promise<Called> {
  const startedAtMs = performance.now();
  const outputs = await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      const child = spawn("bash", ["-c", script, "bash", ...command], {
        env: { ...env, RUNS: String(runs), CALLER: String(caller), LC_ALL: "C" },
        stdio: ["ignore", "pipe", "ignore"],
      });
      return (await text(child.stdout)).trimEnd().split("\n");
    }),
  );
  const timesMs = outputs.flatMap((lines) => lines.slice(0, -2).map(timeOf));
  const cpuMs = outputs.reduce((sum, lines) => sum + parseTimesMs(lines.at(-1) ?? ""), 0);
  return { tookMs: performance.now() - startedAtMs, timesMs, cpuMs };
}

/** Of `1763800000.123456 1763800000.234567`. */
function timeOf(line: string): number {
  const [began = 0, ended = 0] = line.split(" ").map(Number);
  return (ended - began) * 1000;
}
