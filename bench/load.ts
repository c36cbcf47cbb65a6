import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { createHome, sleep } from "../test/world/home.ts";
import { parseTimesMs } from "../test/world/meter.ts";
import { recipe, startWebhook } from "./latency.ts";
import { processorMs } from "./process-cost.ts";
import { type Measure, median, quantile } from "./table.ts";

const events = 500;
const callers = 20;
/** Number of hooks to run with the recipe for comparison, which is enough to measure its rate. */
const recipeEvents = 200;

/** Runs 500 hooks from 20 callers, between runs of the recipe. Checks that every event arrives once. */
export const measureLoad: Measure = async () => {
  const { url, arrivals, countDoubled, close } = await startWebhook();
  const home = createHome("beckon-load");
  home.writeConfig({ notifiers: { hook: { type: "webhook", url } }, delivery: { linger: "3s" } });
  const before = await recipeRate(url);
  arrivals.clear();
  const startedAt = performance.now();
  const hooks = await runCallers([home.paths.launcher, "Stop", "--agent", "claude"], events, home.env);
  while (home.spooled().length > 0) await sleep(20);
  const drainedMs = performance.now() - startedAt;
  const workerMs = processorMs(home.workerPid());
  await sleep(200);
  await home.remove();
  const [lost, doubled] = [events - arrivals.size, countDoubled()];
  const recipePerSecond = (before + (await recipeRate(url))) / 2;
  const perSecond = (events / hooks.tookMs) * 1000;
  close();
  return [
    ["events lost", lost, 0],
    ["events doubled", doubled, 0],
    ["hooks of 20 callers, time of each, × bash + jq + curl", recipePerSecond / perSecond, 1 / 8],
    ["hooks of 20 callers, a second", perSecond],
    ["hooks of 20 callers, median ms", median(hooks.timesMs)],
    ["hooks of 20 callers, 95 % of hooks, ms", quantile(hooks.timesMs, 0.95)],
    [`${events} hooks of 20 callers, all delivered after, s`, drainedMs / 1000],
    ["hooks of 20 callers, processor time of each, ms", hooks.cpuMs / events],
    ["hooks of 20 callers, processor time of the last worker for each, ms", workerMs / events],
  ];
};

/** Measures the hooks per second of the same number of callers with the recipe. */
async function recipeRate(url: string): Promise<number> {
  const { tookMs } = await runCallers(["bash", "-c", recipe(url)], recipeEvents, process.env);
  return (recipeEvents / tookMs) * 1000;
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

/** Runs a command from all callers at once, repeatedly, each run with a Stop of a new session. */
async function runCallers(command: readonly string[], runs: number, env: NodeJS.ProcessEnv) {
  const startedAtMs = performance.now();
  const outputs = await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      const child = spawn("bash", ["-c", script, "bash", ...command], {
        env: { ...env, RUNS: String(runs / callers), CALLER: String(caller), LC_ALL: "C" },
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
