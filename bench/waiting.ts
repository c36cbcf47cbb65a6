import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alertFolder } from "../src/attention/alert-files.ts";
import { findProcess } from "../src/files/process-table.ts";
import { startNtfyServer } from "../test/notifiers/ntfy-server.ts";
import { concern, makeAlert } from "../test/world/alerts.ts";
import { createHome, type Home, sleep } from "../test/world/home.ts";
import { processorMs, residentMb } from "./process-cost.ts";
import type { Measure } from "./table.ts";

const seconds = 30;
/** Process number for a hook that has ended. No running process has such a great number. */
const endedPid = 4_194_303;

/** Measures a worker that waits for one answer, and one that waits for a thousand. */
export const measureWaiting: Measure = async () => {
  const single = await measureRequests(1);
  const thousand = await measureRequests(1_000);
  return [
    ["worker that waits for an answer, % of a core", single.cpuPercent, 1],
    ["worker that waits for an answer, MB", single.megabytes, 65],
    ["worker that waits for 1,000 answers, % of a core", thousand.cpuPercent, 1],
    ["worker that waits for 1,000 answers, MB", thousand.megabytes],
  ];
};

/**
 * Measures the cost of a worker that waits for answers, to withdraw its messages. The first request comes from a hook;
 * the others, each with a living agent and a transcript, were sent by an earlier worker.
 */
async function measureRequests(requests: number) {
  const server = await startNtfyServer();
  const home = createHome("beckon-waiting");
  const agents = await startAgents(requests - 1);
  try {
    home.writeConfig({
      notifiers: { phone: { type: "ntfy", ...server.settings } },
      routes: [
        { kinds: ["needs-you"], to: ["phone"] },
        { kinds: ["needs-you"], when: "away", after: "10m", to: ["phone"] },
      ],
    });
    for (const pid of agents.pids) writeRequest(pid, home);
    await home.launch(
      ["PermissionRequest", "--agent", "claude"],
      '{"hook_event_name":"PermissionRequest","session_id":"s1","cwd":"/tmp","tool_name":"Bash"}',
    );
    await home.until((lines) => lines.some(({ status }) => status === "sent"));
    const pid = home.workerPid() ?? 0;
    await sleep(15_000); // V8 cleans up once, about ten seconds after the start
    const before = processorMs(pid);
    await sleep(seconds * 1_000);
    return { cpuPercent: ((processorMs(pid) - before) / (seconds * 1_000)) * 100, megabytes: residentMb(pid) };
  } finally {
    agents.stop();
    await home.remove();
    await server.close();
  }
}

/** Starts processes that stand for agents. */
async function startAgents(count: number): Promise<{ readonly pids: readonly number[]; stop(): void }> {
  const script = `trap 'kill $(jobs -p); exit' TERM
for ((number = 0; number < ${count}; number++)); do sleep 3600 >&- & echo $!; done; echo started; wait`;
  const shell: ChildProcess = spawn("bash", ["-c", script], { stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  while (!output.includes("started")) output += String((await once(shell.stdout ?? shell, "data"))[0]);
  return { pids: output.split("\n").map(Number).filter(Boolean), stop: () => void shell.kill() };
}

/** Writes the alert of an agent's open request, as a worker does after it has sent the message. */
function writeRequest(pid: number, { paths }: Home): void {
  const transcriptPath = join(paths.root, `transcript-${pid}.jsonl`);
  const transcript = `{"type":"user","message":{"role":"user","content":"Deploy ${pid}"}}\n`;
  writeFileSync(transcriptPath, transcript);
  const message = { group: `group-${pid}`, atMs: Date.now(), receipt: { id: `m${pid}`, sequence: `m${pid}` } };
  const request = concern(`e${pid}`, {
    transcriptBytes: transcript.length,
    wasAgentSeen: true,
    messages: { phone: [message] },
    event: { event: "Notification", nativeEvent: "PermissionRequest", transcriptPath },
  });
  const { startTicks = "" } = findProcess(pid) ?? {};
  const agent = { transcriptPath, processes: [endedPid, pid], agentStartTicks: startTicks };
  const alert = makeAlert({ sessionId: `s-${pid}`, cwd: "/tmp", ...agent, concerns: [request] });
  mkdirSync(alertFolder(paths), { recursive: true, mode: 0o700 });
  writeFileSync(join(alertFolder(paths), `${alert.key}.json`), JSON.stringify(alert), { mode: 0o600 });
}
