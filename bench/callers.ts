import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { parseTimesMs } from "../test/world/meter.ts";

/** Result of callers that ran a command repeatedly. */
export interface Called {
  /** Time from the first start to the last end, milliseconds. */
  readonly tookMs: number;
  /** Wall time of each run, milliseconds. */
  readonly timesMs: readonly number[];
  /** Processor time of all runs, milliseconds. */
  readonly cpuMs: number;
}

/**
 * Script of a caller, as small as an agent's shell: a copy of this process for each run would cost more than the run.
 */
const script = `for ((run = 0; run < RUNS; run++)); do
  began=$EPOCHREALTIME
  "$@" <<<"{\\"hook_event_name\\":\\"Stop\\",\\"session_id\\":\\"s-$CALLER-$run\\",\\"cwd\\":\\"/tmp\\"}" >/dev/null
  echo "$began $EPOCHREALTIME"
done
times # two lines: its own, and its children's`;

/**
 * Runs a command from several callers at once, repeatedly, each run with a Stop of a new session.
 * @param runs runs of each caller
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
  const timesMs = outputs.flatMap((lines) => lines.slice(0, -2).map(parseElapsedMs));
  const cpuMs = outputs.reduce((sum, lines) => sum + parseTimesMs(lines.at(-1) ?? ""), 0);
  return { tookMs: performance.now() - startedAtMs, timesMs, cpuMs };
}

/** Computes the duration from `1763800000.123456 1763800000.234567`. */
function parseElapsedMs(line: string): number {
  const [began = 0, ended = 0] = line.split(" ").map(Number);
  return (ended - began) * 1000;
}
