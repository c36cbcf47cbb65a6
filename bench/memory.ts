import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createHome, sleep } from "../test/helpers/home.ts";
import { printTable } from "./table.ts";

export interface MemoryResult {
  readonly launcherMb: number;
  readonly workerMb: number;
}

/** Peak resident memory: of the launcher with its largest child while it reads, of a worker after 50 events. */
export async function measureMemory(): Promise<MemoryResult> {
  const home = createHome("beckon-memory");
  home.writeConfig({
    notifiers: { hook: { type: "webhook", url: "http://127.0.0.1:9/" } },
    delivery: { linger: "5s" },
  });
  const launcher = spawn(home.paths.launcher, ["Stop"], { env: home.env, stdio: ["pipe", "ignore", "ignore"] });
  launcher.stdin.write('{"hook_event_name":');
  while (home.workerPid() === undefined) await sleep(20);
  const worker = home.workerPid(); // which the launcher has started, and does not wait for
  const launcherMb = Math.max(
    ...familyOf(launcher.pid ?? 0)
      .filter((pid) => pid !== worker)
      .map(peakMb),
  );
  launcher.stdin.end('"Stop"}');
  for (let number = 0; number < 50; number += 1) {
    await home.launch(
      ["Stop", "--agent", "claude"],
      `{"hook_event_name":"Stop","session_id":"s${number}","cwd":"/tmp"}`,
    );
  }
  await sleep(1500);
  const workerMb = peakMb(home.workerPid() ?? 0);
  await home.remove();
  printTable(
    "Peak memory",
    ["", "MB"],
    [
      ["launcher, its largest process", launcherMb.toFixed(1)],
      ["worker", workerMb.toFixed(1)],
    ],
  );
  return { launcherMb, workerMb };
}

function familyOf(pid: number): number[] {
  const isChild = (other: string) =>
    readQuietly(`/proc/${other}/stat`)
      .replace(/^.*\) . /, "")
      .startsWith(`${pid} `);
  const children = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && isChild(entry))
    .map(Number);
  return [pid, ...children.flatMap(familyOf)];
}

function peakMb(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readQuietly(`/proc/${pid}/status`))?.[1] ?? Number.NaN) / 1024;
}

function readQuietly(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // it ended between two looks
  }
}
