import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createHome, type Home, sleep } from "../test/helpers/home.ts";
import { printTable, quantile } from "./table.ts";

const events = 1000;
const callers = 20;
const msPerTick = 10;

export interface LoadResult {
  readonly lost: number;
  readonly doubled: number;
}

/** 1,000 hooks from 20 callers: rate, processor time, and whether every one arrives once. */
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
  const hookTicks = childTicks();
  const times: number[] = [];
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(home, caller, times)));
  const firedMs = performance.now() - startedAt;
  while (home.spooled().length > 0) await sleep(20);
  const drainedMs = performance.now() - startedAt;
  const hookMs = (childTicks() - hookTicks) * msPerTick;
  const workerMs = ticksOf(home.workerPid()) * msPerTick;
  await sleep(200);
  await home.remove();
  server.close();
  const doubled = [...seen.values()].filter((count) => count > 1).length;
  const lost = events - seen.size;
  printTable(
    `${events} hooks from ${callers} callers`,
    ["", ""],
    [
      ["hooks per second", ((events / firedMs) * 1000).toFixed(0)],
      ["latency, median ms", quantile(times, 0.5).toFixed(0)],
      ["latency, p95 ms", quantile(times, 0.95).toFixed(0)],
      ["all delivered after, s", (drainedMs / 1000).toFixed(1)],
      ["processor time per event, hook, ms", (hookMs / events).toFixed(1)],
      ["processor time per event, last worker, ms", (workerMs / events).toFixed(1)],
      ["lost", String(lost)],
      ["doubled", String(doubled)],
    ],
  );
  return { lost, doubled };
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

/** Processor time of all ended children of this process so far, in ticks of 10 ms (proc(5), `cutime` and `cstime`). */
function childTicks(): number {
  const fields = statFields("self");
  return Number(fields[13]) + Number(fields[14]);
}

function ticksOf(pid: number | undefined): number {
  const fields = statFields(String(pid));
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** The fields of /proc/PID/stat behind the name, which may hold spaces. */
function statFields(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
  } catch {
    return [];
  }
}
