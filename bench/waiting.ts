import { startNtfyServer } from "../test/notifiers/ntfy-server.ts";
import { createHome, sleep } from "../test/world/home.ts";
import { processorMs, residentMb } from "./process-cost.ts";
import { printTable } from "./table.ts";

const seconds = 20;

export interface WaitingResult {
  /** Processor time of a waiting worker, per cent of one core. */
  readonly cpuPercent: number;
  readonly residentMb: number;
}

/** Measures the cost of a worker that waits for the answer to a request, to withdraw its message. */
export async function measureWaiting(): Promise<WaitingResult> {
  const server = await startNtfyServer();
  const home = createHome("beckon-waiting");
  try {
    home.writeConfig({
      notifiers: { phone: { type: "ntfy", ...server.settings } },
      routes: [
        { kinds: ["needs-you"], to: ["phone"] },
        { kinds: ["needs-you"], when: "away", after: "10m", to: ["phone"] },
      ],
    });
    await home.launch(
      ["PermissionRequest", "--agent", "claude"],
      '{"hook_event_name":"PermissionRequest","session_id":"s1","cwd":"/tmp","tool_name":"Bash"}',
    );
    await home.until((lines) => lines.some(({ status }) => status === "sent"));
    const pid = home.workerPid() ?? 0;
    await sleep(15_000); // V8 cleans up once, about ten seconds after the start
    const before = processorMs(pid);
    await sleep(seconds * 1_000);
    const cpuPercent = ((processorMs(pid) - before) / (seconds * 1_000)) * 100;
    const megabytes = residentMb(pid);
    printTable(
      `A worker that waits for an answer, ${seconds} s`,
      ["", ""],
      [
        ["processor, % of a core", cpuPercent.toFixed(2)],
        ["resident MB", megabytes.toFixed(1)],
      ],
    );
    return { cpuPercent, residentMb: megabytes };
  } finally {
    await home.remove();
    await server.close();
  }
}
