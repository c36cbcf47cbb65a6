import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createHome, type Home, repository, run, sleep } from "../test/helpers/home.ts";
import { median, printTable, quantile } from "./table.ts";

/** What an agent gives a hook at the end of a turn. */
export const payload = readFileSync(join(repository, "test", "fixtures", "payloads", "claude", "Stop.json"));
const serverMs = [0, 200, 1000] as const;
const rounds = Number(process.env["ROUNDS"] ?? 25);

interface Candidate {
  readonly name: string;
  readonly homes: readonly Home[];
  /** Gets ready, outside the measured time. */
  readonly before?: () => Promise<void>;
  readonly fire: () => Promise<unknown>;
}

/** The usual recipe: everything in the foreground. */
export const recipe = (url: string) =>
  `input=$(cat); s=$(printf %s "$input" | jq -r .session_id); m=$(printf %s "$input" | jq -r .last_assistant_message)
   curl -s -o /dev/null -H 'content-type: application/json' -d "$(jq -n --arg s "$s" --arg m "$m" '{text: ($s + $m)}')" ${url}`;

/** Time from start to exit of all ways to run a hook, in one interleaved run. Returns medians by name. */
export async function measureLatency(): Promise<ReadonlyMap<string, number>> {
  const servers = await Promise.all(serverMs.map((ms) => startServer(ms)));
  const candidates = [
    nodeItself(),
    ...servers.flatMap((server, index) => withServer(serverMs[index] ?? 0, urlOf(server))),
  ];
  const times = new Map(candidates.map(({ name }): [string, number[]] => [name, []]));
  for (let round = -2; round < rounds; round += 1) {
    for (const { name, before, fire } of round % 2 ? candidates : [...candidates].reverse()) {
      await before?.();
      const startedAt = performance.now();
      await fire();
      if (round >= 0) times.get(name)?.push(performance.now() - startedAt);
    }
  }
  for (const { homes } of candidates) for (const home of homes) await home.remove();
  for (const server of servers) server.close();
  const base = median(times.get("node -e 0") ?? []);
  const rows = [...times].map(([name, values]) => [
    name,
    median(values).toFixed(1),
    quantile(values, 0.95).toFixed(1),
    (median(values) / base).toFixed(2),
  ]);
  printTable(`Time an agent waits, ${rounds} interleaved rounds`, ["hook", "median ms", "p95 ms", "× node -e 0"], rows);
  return new Map([...times].map(([name, values]) => [name, median(values)]));
}

function nodeItself(): Candidate {
  return { name: "node -e 0", homes: [], fire: () => run(process.execPath, ["-e", "0"], payload, { env: cleanEnv() }) };
}

function withServer(ms: number, url: string): Candidate[] {
  const at = `, server ${ms} ms`;
  const idle = webhookHome(url, "0s");
  const lingering = webhookHome(url, "2m");
  const claude = ["--agent", "claude"];
  const tsx = ["--import", "tsx", join(repository, "hooks", "stop.ts"), ...claude];
  const slowOnes: Candidate[] = [
    {
      name: `bash + jq + curl${at}`,
      homes: [],
      fire: () => run("bash", ["-c", recipe(url)], payload, { env: cleanEnv() }),
    },
  ];
  if (ms === 1000) slowOnes.push(withLookup(url));
  if (ms === 0) {
    const fire = () => run(process.execPath, tsx, payload, { env: lingering.env });
    slowOnes.push({ name: "tsx hooks/stop.ts", homes: [], before: () => awake(lingering), fire });
  }
  const launch = (home: Home) => () => home.launch(["Stop", ...claude], payload);
  const enter = (home: Home) => () => home.enter("stop", claude, payload);
  return [
    { name: `launcher, idle${at}`, homes: [idle], before: () => asleep(idle), fire: launch(idle) },
    {
      name: `launcher, worker lingers${at}`,
      homes: [lingering],
      before: () => awake(lingering),
      fire: launch(lingering),
    },
    { name: `entrypoint, idle${at}`, homes: [], before: () => asleep(idle), fire: enter(idle) },
    { name: `entrypoint, worker lingers${at}`, homes: [], before: () => awake(lingering), fire: enter(lingering) },
    ...slowOnes,
  ];
}

/** The launcher where every event's session is looked up at a service that takes a second to answer. */
function withLookup(url: string): Candidate {
  const home = createHome("beckon-bench");
  const service = { baseUrl: url.replace(/\/$/, ""), apiKey: "key-of-a-benchmark" };
  home.writeConfig({ ...webhookConfig(url, "0s"), lookups: ["transcript", "service"], service });
  const fire = () => home.launch(["Stop", "--agent", "claude"], payload);
  return { name: "launcher, idle, service configured, 1000 ms", homes: [home], before: () => asleep(home), fire };
}

const lingers = "worker lingers";
const readTwice = "worker lingers, transcript read twice";

export interface DeliveryResult {
  readonly lingersMs: number;
  readonly readTwiceMs: number;
}

/**
 * Time from the start of the hook until the receiver has the message, also of an event whose transcript lacks the
 * answer and is read twice. Returns medians of a worker that lingers.
 */
export async function measureDelivery(): Promise<DeliveryResult> {
  let arrived: (() => void) | undefined;
  const server = await startServer(0, () => arrived?.());
  const medians = new Map<string, number>();
  const rows: string[][] = [];
  for (const [name, linger] of [
    ["no worker yet", "0s"],
    [lingers, "2m"],
    [readTwice, "2m"],
  ] as const) {
    const home = webhookHome(urlOf(server), linger);
    const transcript = name === readTwice ? unansweredTranscript(home) : undefined;
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await (linger === "0s" ? asleep(home) : awake(home));
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      times.push(await deliveryTime(home, `${name}-${round}`, arrival, transcript));
    }
    medians.set(name, median(times));
    rows.push([name, median(times).toFixed(1), quantile(times, 0.95).toFixed(1)]);
    await home.remove();
  }
  server.close();
  printTable("From event to delivery (webhook on loopback)", ["", "median ms", "p95 ms"], rows);
  const medianOf = (name: string) => medians.get(name) ?? Number.NaN;
  return { lingersMs: medianOf(lingers), readTwiceMs: medianOf(readTwice) };
}

/** A transcript with a prompt and no answer yet. */
function unansweredTranscript(home: Home): string {
  const path = join(home.paths.root, "transcript.jsonl");
  const prompt = { type: "user", timestamp: "2026-11-20T12:00:00Z", message: { role: "user", content: "fix it" } };
  writeFileSync(path, `${JSON.stringify(prompt)}\n`);
  return path;
}

/**
 * Milliseconds from the start of a hook, for a session of its own, until the receiver has the message.
 * @param transcript its path; default: that of the sample, where there is none
 */
export async function deliveryTime(
  home: Home,
  session: string,
  arrival: Promise<void>,
  transcript?: string,
): Promise<number> {
  const sample = JSON.parse(payload.toString()) as { readonly transcript_path?: string };
  const transcriptPath = transcript ?? sample.transcript_path;
  const message = JSON.stringify({ ...sample, session_id: session, transcript_path: transcriptPath });
  const startedAt = performance.now();
  await home.launch(["Stop", "--agent", "claude"], message);
  await arrival;
  return performance.now() - startedAt;
}

function webhookHome(url: string, linger: string): Home {
  const home = createHome("beckon-bench");
  home.writeConfig(webhookConfig(url, linger));
  return home;
}

/** A configuration with nothing but a webhook. */
export function webhookConfig(url: string, linger: string): object {
  return { notifiers: { hook: { type: "webhook", url } }, routes: [{ to: ["hook"] }], delivery: { linger } };
}

/** Waits until no worker is there and none is starting. */
export async function asleep(home: Home): Promise<void> {
  const isDrained = () => home.spooled().length === 0 && home.workerPid() === undefined;
  while (!isDrained()) await sleep(10);
  await sleep(30); // the process ends a moment after it has given up its lock
}

/** Makes sure that a worker lingers and has nothing to do. */
async function awake(home: Home): Promise<void> {
  if (home.workerPid() === undefined) await home.launch(["Stop"], "{}");
  while (home.workerPid() === undefined || home.spooled().length > 0) await sleep(10);
  await sleep(30); // it writes down what it knows, once the spool is empty
}

/** A receiver that answers after a while. */
export function startServer(delayMs: number, arrived?: () => void): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      arrived?.();
      setTimeout(() => response.end("ok"), delayMs);
    });
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** Its address. */
export function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Without what would slow every Node on this machine down, or break it. */
export function cleanEnv(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
  return env;
}
