import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createHome, type Home, run, sleep } from "../test/helpers/home.ts";
import { cleanEnv, payload, recipe } from "./latency.ts";
import { childrenMs, processorMs } from "./process-cost.ts";
import { printTable, quantile } from "./table.ts";

const events = 1000;
const callers = 20;
/** Hooks of the recipe that beckon is compared with: enough to tell its rate. */
const recipeEvents = 200;

export interface LoadResult {
  readonly lost: number;
  readonly doubled: number;
  /** Hooks per second, as a multiple of those of the recipe. */
  readonly timesRecipe: number;
}

/** 1,000 hooks from 20 callers, between those of the recipe: rate, processor time, whether every one arrives once. */
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
  const hookMsBefore = childrenMs();
  const times: number[] = [];
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(home, caller, times)));
  const firedMs = performance.now() - startedAt;
  while (home.spooled().length > 0) await sleep(20);
  const drainedMs = performance.now() - startedAt;
  const hookMs = childrenMs() - hookMsBefore;
  const workerMs = processorMs(home.workerPid());
  await sleep(200);
  await home.remove();
  const sent = new Map(seen);
  const recipePerSecond = (before + (await recipeRate(url))) / 2;
  const perSecond = (events / firedMs) * 1000;
  server.close();
  const doubled = [...sent.values()].filter((count) => count > 1).length;
  const lost = events - sent.size;
  printTable(
    `${events} hooks from ${callers} callers`,
    ["", ""],
    [
      ["hooks per second", perSecond.toFixed(0)],
      ["hooks per second, bash + jq + curl", recipePerSecond.toFixed(1)],
      ["latency, median ms", quantile(times, 0.5).toFixed(0)],
      ["latency, p95 ms", quantile(times, 0.95).toFixed(0)],
      ["all delivered after, s", (drainedMs / 1000).toFixed(1)],
      ["processor time per event, hook, ms", (hookMs / events).toFixed(1)],
      ["processor time per event, last worker, ms", (workerMs / events).toFixed(1)],
      ["lost", String(lost)],
      ["doubled", String(doubled)],
    ],
  );
  return { lost, doubled, timesRecipe: perSecond / recipePerSecond };
}

/** Hooks per second from as many callers where each does everything in the foreground. */
async function recipeRate(url: string): Promise<number> {
  const startedAt = performance.now();
  const callOften = async () => {
    for (let number = 0; number < recipeEvents / callers; number += 1)
      await run("bash", ["-c", recipe(url)], payload, { env: cleanEnv() });
  };
  await Promise.all(Array.from({ length: callers }, callOften));
  return (recipeEvents / (performance.now() - startedAt)) * 1000;
}

async function call(home: Home, caller: number, times: number[]): Promise<void> {
  for (let number = 0; number < events / callers; number += 1) {
    const startedAt = performance.now();
    await home.launch(
      ["Stop", "--agent", "claude"],
      `{"hook_event_name":"Stop","session_id":"s-${caller}-${number}","cwd":"/tmp"}`,
    );
    times.push(performance.now() - startedAt);
  }
}
