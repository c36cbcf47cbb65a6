import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createHome, sleep } from "../test/world/home.ts";
import { runCallers } from "./callers.ts";
import { cleanEnv, recipe } from "./latency.ts";
import { processorMs } from "./process-cost.ts";
import { printTable, quantile } from "./table.ts";

const events = 500;
const callers = 20;
/** Number of hooks to run with the recipe for comparison, which is enough to measure its rate. */
const recipeEvents = 200;

export interface LoadResult {
  readonly lost: number;
  readonly doubled: number;
  /** Hooks per second, as a multiple of the recipe's rate. */
  readonly timesRecipe: number;
}

/** Runs 500 hooks from 20 callers, between runs of the recipe. Checks that every event arrives once. */
export async function measureLoad(): Promise<LoadResult> {
  const seen = new Map<string, number>();
  const server = createServer((request, response) => {
    const id = String(request.headers["webhook-id"]);
    seen.set(id, (seen.get(id) ?? 0) + 1);
    request.resume().on("end", () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const home = createHome("beckon-load");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  home.writeConfig({ notifiers: { hook: { type: "webhook", url } }, delivery: { linger: "3s" } });
  const before = await recipeRate(url);
  seen.clear();
  const startedAt = performance.now();
  const hooks = await runCallers(
    [home.paths.launcher, "Stop", "--agent", "claude"],
    callers,
    events / callers,
    home.env,
  );
  while (home.spooled().length > 0) await sleep(20);
  const drainedMs = performance.now() - startedAt;
  const workerMs = processorMs(home.workerPid());
  await sleep(200);
  await home.remove();
  const sent = new Map(seen);
  const recipePerSecond = (before + (await recipeRate(url))) / 2;
  const perSecond = (events / hooks.tookMs) * 1000;
  server.close();
  const doubled = [...sent.values()].filter((count) => count > 1).length;
  const lost = events - sent.size;
  printTable(
    `${events} hooks from ${callers} callers`,
    ["", ""],
    [
      ["hooks per second", perSecond.toFixed(0)],
      ["hooks per second, bash + jq + curl", recipePerSecond.toFixed(1)],
      ["latency, median ms", quantile(hooks.timesMs, 0.5).toFixed(0)],
      ["latency, p95 ms", quantile(hooks.timesMs, 0.95).toFixed(0)],
      ["all delivered after, s", (drainedMs / 1000).toFixed(1)],
      ["processor time per event, hook, ms", (hooks.cpuMs / events).toFixed(1)],
      ["processor time per event, last worker, ms", (workerMs / events).toFixed(1)],
      ["lost", String(lost)],
      ["doubled", String(doubled)],
    ],
  );
  return { lost, doubled, timesRecipe: perSecond / recipePerSecond };
}

/** Measures the hooks per second of the same number of callers with the recipe. */
async function recipeRate(url: string): Promise<number> {
  const { tookMs } = await runCallers(["bash", "-c", recipe(url)], callers, recipeEvents / callers, cleanEnv());
  return (recipeEvents / tookMs) * 1000;
}
