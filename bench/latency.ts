import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createHome, dist, type Home, recordNode, repository, sleep } from "../test/world/home.ts";
import { createMeter, type Meter, parseTimesMs } from "../test/world/meter.ts";
import { type Measure, median, printTable, quantile } from "./table.ts";

/** Payload that an agent passes to a hook at the end of a turn. */
const payloadFile = join(repository, "test", "fixtures", "payloads", "claude", "Stop.json");
const serverMs = [0, 200, 1000] as const;
const rounds = Number(process.env["ROUNDS"] ?? 25);

/** Command that runs a hook. */
interface Candidate {
  readonly name: string;
  readonly homes: readonly Home[];
  /** Prepares a run, outside the measured time. */
  readonly before?: () => Promise<void>;
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Makes the usual recipe for a hook, which does everything in the foreground. */
export const recipe = (url: string) =>
  `input=$(cat); s=$(printf %s "$input" | jq -r .session_id); m=$(printf %s "$input" | jq -r .last_assistant_message)
   curl -s -o /dev/null -H 'content-type: application/json' -d "$(jq -n --arg s "$s" --arg m "$m" '{text: ($s + $m)}')" ${url}`;

/** Measures the time from start to exit of all commands that run a hook, interleaved. */
export const measureLatency: Measure = async () => {
  const servers = await Promise.all(serverMs.map(startWebhook));
  const candidates = [nodeItself, ...servers.flatMap(({ url }, index) => withServer(serverMs[index] ?? 0, url))];
  const meters = candidates.map(({ command, env }) => createMeter("bash", command, payloadFile, env));
  const measured = candidates.map((candidate, index) => ({ ...candidate, meter: meters[index] as Meter }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { meter } of shuffle(measured)) {
      // All candidates: a worker that starts or delivers for another would slow this one down.
      await Promise.all(measured.map(({ before }) => before?.()));
      await meter.run();
    }
  }
  const results = measured.map(({ name, meter }) => ({ name, ...meter.stop() }));
  for (const { homes } of candidates) for (const home of homes) await home.remove();
  for (const { close } of servers) close();
  const [node] = results;
  const nodeMs = median(node?.wallsMs ?? []);
  const rows = results.map(({ name, cpuMs, wallsMs }) => [
    name,
    median(wallsMs).toFixed(1),
    quantile(wallsMs, 0.95).toFixed(1),
    (median(wallsMs) / nodeMs).toFixed(2),
    (cpuMs / (node?.cpuMs ?? 0)).toFixed(2),
  ]);
  const columns = ["hook", "median ms", "p95 ms", "× node -e 0", "processor ×"];
  printTable(`Time an agent waits, ${rounds} interleaved rounds`, columns, rows);
  const worst = (prefix: string) =>
    Math.max(...results.filter(({ name }) => name.startsWith(prefix)).map(({ wallsMs }) => median(wallsMs))) / nodeMs;
  return [
    ["launcher, worker awake, worst median, × node -e 0", worst("launcher, worker lingers"), 0.22],
    ["launcher, no worker, worst median, × node -e 0", worst("launcher, idle"), 0.29],
    ["entrypoint, worker awake, worst median, × node -e 0", worst("entrypoint, worker lingers"), 1.4],
    ["entrypoint, no worker, worst median, × node -e 0", worst("entrypoint, idle"), 1.6],
  ];
};

/** Shuffles the candidates, so that each follows every other: a run affects the next. */
function shuffle<T>(values: readonly T[]): T[] {
  const ranked = values.map((value) => ({ value, rank: Math.random() }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ value }) => value);
}

const nodeItself: Candidate = {
  name: "node -e 0",
  homes: [],
  command: [process.execPath, "-e", "0"],
  env: process.env,
};

function withServer(ms: number, url: string): Candidate[] {
  const at = `, server ${ms} ms`;
  const idle = webhookHome(url, "0s");
  const lingering = webhookHome(url, "2m");
  const asClaude = ["--agent", "claude"];
  const launcher = (home: Home) => [home.paths.launcher, "Stop", ...asClaude];
  const entrypoint = [process.execPath, join(dist, "hooks", "stop.cjs"), ...asClaude];
  const [whenIdle, whenAwake] = [
    { before: () => waitUntilIdle(idle), env: idle.env },
    { before: () => ensureAwake(lingering), env: lingering.env },
  ];
  return [
    { name: `launcher, idle${at}`, homes: [idle], command: launcher(idle), ...whenIdle },
    { name: `launcher, worker lingers${at}`, homes: [lingering], command: launcher(lingering), ...whenAwake },
    { name: `entrypoint, idle${at}`, homes: [], command: entrypoint, ...whenIdle },
    { name: `entrypoint, worker lingers${at}`, homes: [], command: entrypoint, ...whenAwake },
    { name: `bash + jq + curl${at}`, homes: [], command: ["bash", "-c", recipe(url)], env: process.env },
    ...(ms === 1000 ? [withLookup(url)] : []),
  ];
}

/** Makes a launcher with a lookup of every event's session at a service that takes a second to answer. */
function withLookup(url: string): Candidate {
  const home = createHome("beckon-bench");
  const service = { baseUrl: url.replace(/\/$/, ""), apiKey: "key-of-a-benchmark" };
  home.writeConfig({ ...webhookConfig(url, "0s"), lookups: ["transcript", "service"], service });
  const command = [home.paths.launcher, "Stop", "--agent", "claude"];
  const name = "launcher, idle, service configured, 1000 ms";
  return { name, homes: [home], before: () => waitUntilIdle(home), command, env: home.env };
}

/**
 * Measures the time from the start of the hook until the receiver has the message, also for an event whose transcript
 * lacks the answer and is read twice; a worker lingers.
 */
export const measureDelivery: Measure = async () => {
  const { url, nextArrival, close } = await startWebhook();
  const timesMs: number[][] = [];
  for (const isReadTwice of [false, true]) {
    const home = webhookHome(url, "2m");
    const transcript = isReadTwice ? unansweredTranscript(home) : undefined;
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await ensureAwake(home);
      times.push(await deliveryTime(home, `${isReadTwice}-${round}`, nextArrival(), transcript));
    }
    timesMs.push(times);
    await home.remove();
  }
  close();
  const [readOnce = [], readTwice = []] = timesMs;
  return [
    ["from event to delivery, transcript read twice, ms more than once", median(readTwice) - median(readOnce), 300],
    ["from event to delivery, worker lingers, median ms", median(readOnce)],
    ["from event to delivery, worker lingers, 95 % of events, ms", quantile(readOnce, 0.95)],
    ["from event to delivery, transcript read twice, 95 % of events, ms", quantile(readTwice, 0.95)],
  ];
};

/** Pause between two lone events: eight seconds, in which the system does other things. */
const betweenLoneEventsMs = 8_000;
const loneEvents = 16;

/** Measures lone events, each of which starts a worker, interleaved with `node -e 0`, on the Node that runs this. */
export const measureLoneEvents: Measure = async () => {
  const { url, nextArrival, close } = await startWebhook();
  const home = webhookHome(url, "0s");
  const [wrapper, log] = [join(home.paths.root, "node-with-times"), join(home.paths.root, "times.log")];
  const script = `#!/bin/bash\nexport LC_ALL=C\n'${process.execPath}' "$@"\ntimes >>'${log}'\n`;
  writeFileSync(wrapper, script, { mode: 0o755 });
  const send = async (session: string, program: string): Promise<number> => {
    recordNode(home.paths, program);
    const ms = await deliveryTime(home, session, nextArrival());
    await waitUntilIdle(home);
    return ms;
  };
  const node = createMeter("bash", nodeItself.command, payloadFile, process.env);
  const times: number[] = [];
  for (let round = 0; round <= loneEvents; round += 1) {
    await sleep(betweenLoneEventsMs);
    await node.run();
    times.push(await send(`lone-${round}`, process.execPath));
    await send(`metered-${round}`, wrapper);
  }
  await sleep(betweenLoneEventsMs); // the last line of times is written after the worker has ended
  // Two lines each: bash's own time, and the worker's.
  const lines = readFileSync(log, "utf8").trim().split("\n");
  const workersMs = lines.filter((_, index) => index % 2 === 1).map(parseTimesMs);
  await home.remove();
  close();
  const base = node.stop();
  // The first round compiles what later ones find compiled.
  const [deliveryMs, nodeMs, workerMs] = [median(times.slice(1)), median(base.wallsMs), median(workersMs.slice(1))];
  // Newer Nodes start faster, which would count against us.
  const [limit, processorLimit] = process.version.startsWith("v20.") ? [4.2, 4.6] : [];
  return [
    ["from a lone event to delivery, × node -e 0 of Node 20", deliveryMs / nodeMs, limit],
    ["worker's processor time for a lone event, × node -e 0 of Node 20", workerMs / base.cpuMs, processorLimit],
    ["from a lone event to delivery, ms", deliveryMs],
    ["worker's processor time for a lone event, ms", workerMs],
  ];
};

/** Writes a transcript with a prompt and no answer yet. */
function unansweredTranscript(home: Home): string {
  const path = join(home.paths.root, "transcript.jsonl");
  const prompt = { type: "user", timestamp: "2026-11-20T12:00:00Z", message: { role: "user", content: "fix it" } };
  writeFileSync(path, `${JSON.stringify(prompt)}\n`);
  return path;
}

/**
 * Measures the milliseconds from the start of a hook with a new session until the receiver has the message.
 * @param transcript its path; default: the sample's, which does not exist
 */
async function deliveryTime(
  home: Home,
  session: string,
  arrival: Promise<unknown>,
  transcript?: string,
): Promise<number> {
  const sample = JSON.parse(readFileSync(payloadFile, "utf8")) as { readonly transcript_path?: string };
  const input = join(home.paths.root, "input.json");
  const transcriptPath = transcript ?? sample.transcript_path;
  writeFileSync(input, JSON.stringify({ ...sample, session_id: session, transcript_path: transcriptPath }));
  const hook = createMeter("bash", [home.paths.launcher, "Stop", "--agent", "claude"], input, home.env);
  const [{ beganAtMs }, arrivedAtMs] = await Promise.all([
    hook.run(),
    arrival.then(() => performance.timeOrigin + performance.now()),
  ]);
  hook.stop();
  return arrivedAtMs - beganAtMs;
}

function webhookHome(url: string, linger: string): Home {
  const home = createHome("beckon-bench");
  home.writeConfig(webhookConfig(url, linger));
  return home;
}

/** Makes a configuration with only a webhook. */
function webhookConfig(url: string, linger: string): object {
  return { notifiers: { hook: { type: "webhook", url } }, routes: [{ to: ["hook"] }], delivery: { linger } };
}

/** Waits until no worker runs or starts. */
async function waitUntilIdle(home: Home): Promise<void> {
  const isDrained = () => home.spooled().length === 0 && home.workerPid() === undefined;
  while (!isDrained()) await sleep(10);
  await sleep(30); // the process exits a moment after releasing its lock
}

/** Ensures that an idle worker lingers. */
async function ensureAwake(home: Home): Promise<void> {
  if (home.workerPid() === undefined) await home.launch(["Stop"], "{}");
  while (home.workerPid() === undefined || home.spooled().length > 0) await sleep(10);
  await sleep(30); // it writes its state once the spool is empty
}

/** Starts a webhook receiver that answers after a delay, and notes each event's arrivals, Unix milliseconds, by its id. */
export async function startWebhook(delayMs = 0) {
  const arrivals = new Map<string, number[]>();
  const server = createServer((request, response) => {
    const id = String(request.headers["webhook-id"]);
    arrivals.set(id, [...(arrivals.get(id) ?? []), Date.now()]);
    request.resume().on("end", () => {
      server.emit("arrived");
      setTimeout(() => response.end("ok"), delayMs);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    arrivals,
    countDoubled: () => [...arrivals.values()].filter(({ length }) => length > 1).length,
    /** Resolves when the next message is there. */
    nextArrival: () => once(server, "arrived"),
    close: () => server.close(),
  };
}
