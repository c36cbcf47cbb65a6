import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { findProcess } from "../src/files/process-table.ts";
import { createHome, sleep } from "../test/world/home.ts";
import { peakMb } from "./process-cost.ts";
import type { Measure } from "./table.ts";

/** Measures peak memory: of the launcher with its largest child while it reads, and of a worker after 50 events. */
export const measureMemory: Measure = async () => {
  const home = createHome("beckon-memory");
  const hook = { type: "webhook", url: "http://127.0.0.1:9/" };
  home.writeConfig({ notifiers: { hook }, delivery: { linger: "5s" } });
  const launcher = spawn(home.paths.launcher, ["Stop"], { env: home.env, stdio: ["pipe", "ignore", "ignore"] });
  launcher.stdin.write('{"hook_event_name":');
  const isReading = () => home.spooled().some((file) => file.startsWith("tmp/"));
  while (!isReading()) await sleep(20);
  const launcherMb = Math.max(...listProcessTree(launcher.pid ?? 0).map(peakMb));
  launcher.stdin.end('"Stop"}');
  for (let number = 0; number < 50; number += 1) {
    const payload = { hook_event_name: "Stop", session_id: `s${number}`, cwd: "/tmp" };
    await home.launch(["Stop", "--agent", "claude"], JSON.stringify(payload));
  }
  await sleep(1500);
  const workerMb = peakMb(home.workerPid());
  await home.remove();
  return [
    ["launcher, peak MB", launcherMb, 4],
    ["worker, peak MB", workerMb, 70],
  ];
};

/** Lists a process and its descendants. */
function listProcessTree(pid: number): number[] {
  const numbers = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const children = numbers.map(Number).filter((number) => findProcess(number)?.parentPid === pid);
  return [pid, ...children.flatMap(listProcessTree)];
}
