import type { AgentEvent } from "../src/core/event.ts";
import { eventEnvelope, wireIds } from "../src/relay/envelope.ts";
import { createPublisher } from "../src/relay/nats/publisher.ts";
import { NatsServer } from "../test/relay/nats-server.ts";
import { sleep } from "../test/world/home.ts";
import { TwoHomes } from "../test/world/two-homes.ts";
import { startWebhook } from "./latency.ts";
import { peakMb, processorMs } from "./process-cost.ts";
import { type Figure, type Measure, quantile } from "./table.ts";

const machineCount = 500;
const agentsPerMachine = 20;
const perSecond = 100;
const seconds = Number(process.env["SECONDS"] ?? 120);
const backlog = Number(process.env["BACKLOG"] ?? 100_000);
const publishers = 20;

/** Measures ten thousand agents on 500 machines at 100 events a second, then the throughput of a backlog. */
export const measureRelay: Measure = async () => {
  const webhook = await startWebhook();
  const server = await NatsServer.start();
  const homes = new TwoHomes();
  try {
    const names = Array.from({ length: machineCount }, (_, index) => `m-${index}`);
    const machines = await server.machines(names, ["alice"]);
    const servers = [server.address];
    homes.desk.writeConfig({
      notifiers: { hook: { type: "webhook", url: webhook.url } },
      routes: [{ to: ["hook"] }],
      attention: { wait: "0s" },
      delivery: { linger: "20s" },
      relay: { from: [{ servers, creds: await server.person("alice"), durable: "team_alice" }] },
    });
    const receiver = homes.receive();
    await homes.until(async () => (await homes.beckon(homes.desk, "relay", "status")).stdout.includes("connected"));
    const edges = machines.map((creds) => ({ publish: createPublisher(), creds }));
    const wireId = wireIds(`${homes.edge.paths.relay}/secret`);
    const send = async (index: number) => {
      const event = buildEvent(index);
      const { publish, creds } = edges[index % machineCount] as (typeof edges)[number];
      const envelope = eventEnvelope(wireId(event.id), "m", { event, facts: {} });
      // A machine's worker retries until the event is stored.
      for (let isStored = false; !isStored; ) {
        isStored = await publish({ via: "nats", servers, creds, seal: [] }, envelope)
          .then(() => true)
          .catch(() => sleep(500).then(() => false));
      }
    };
    const cost = () => [server.pid, receiver.pid, homes.desk.workerPid()].map(processorMs);

    // Each machine has its own processor to connect with; here one process connects for all.
    for (let index = 0; index < machineCount; index += 1) await send(index);
    await waitForDeliveries(webhook, machineCount);
    const steady = new Map<string, number>();
    const costBefore = cost();
    const beganAtMs = Date.now();
    const sending: Promise<unknown>[] = [];
    for (let index = machineCount; index < machineCount + perSecond * seconds; index += 1) {
      const dueMs = beganAtMs + ((index - machineCount) * 1_000) / perSecond;
      if (dueMs > Date.now()) await sleep(dueMs - Date.now());
      steady.set(wireId(buildEvent(index).id), Date.now());
      sending.push(send(index));
    }
    await Promise.all(sending);
    await waitForDeliveries(webhook, machineCount + steady.size);
    const costAfter = cost();
    const took = (Date.now() - beganAtMs) / 1_000;
    const delays = [...steady].map(([id, atMs]) => (webhook.arrivals.get(id)?.[0] ?? Number.NaN) - atMs);
    const percents = costAfter.map((ms, index) => ((ms - (costBefore[index] ?? 0)) / took / 1_000) * 100);
    const memory = [server.pid, receiver.pid, homes.desk.workerPid()].map(peakMb);

    const first = machineCount + steady.size;
    const backlogAtMs = performance.now();
    let next = first;
    const publish = async () => {
      while (next < first + backlog) await send(next++);
    };
    await Promise.all(Array.from({ length: publishers }, publish));
    const publishedS = (performance.now() - backlogAtMs) / 1_000;
    await waitForDeliveries(webhook, first + backlog);
    const drainedS = (performance.now() - backlogAtMs) / 1_000;
    await sleep(2_000); // duplicates arrive late

    const named = (name: string) =>
      `${machineCount * agentsPerMachine} agents on ${machineCount} machines, over a server of NATS, ${name}`;
    const programs = ["nats-server", "relay run", "worker"].flatMap((program, index): Figure[] => [
      [named(`${program}, % of a core`), percents[index] ?? Number.NaN],
      [named(`${program}, peak MB`), memory[index] ?? Number.NaN],
    ]);
    return [
      [named("from event to delivery, 99 % of events, ms"), quantile(delays, 0.99), 2_000],
      [named("events lost"), first + backlog - webhook.arrivals.size, 0],
      [named("events doubled"), webhook.countDoubled(), 0],
      [named("from event to delivery, median ms"), quantile(delays, 0.5)],
      [named("from event to delivery, slowest ms"), Math.max(...delays)],
      ...programs,
      [`then ${backlog} events: published after, s`, publishedS],
      [`then ${backlog} events: delivered after, s`, drainedS],
      ["nats-server, peak MB at the end", peakMb(server.pid)],
      ["relay run, peak MB at the end", peakMb(receiver.pid)],
    ];
  } finally {
    await homes.remove();
    await server.remove();
    webhook.close();
  }
};

/** Makes an event of one of the agents, each with a different request. */
function buildEvent(index: number): AgentEvent {
  const agent = index % (machineCount * agentsPerMachine);
  return {
    id: `e-${index}`,
    atMs: Date.now(),
    event: "Stop",
    nativeEvent: "Stop",
    agent: "claude",
    kind: "finished",
    project: "shop",
    host: "m",
    sessionId: `s-${agent}`,
    lastMessage: `Request ${index} is done.`,
    extra: {},
  };
}

/** Waits until this many events have arrived, or none has arrived for a minute. */
async function waitForDeliveries({ arrivals }: { readonly arrivals: ReadonlyMap<string, unknown> }, count: number) {
  for (let known = 0, quietMs = 0; arrivals.size < count && quietMs < 60_000; await sleep(100)) {
    quietMs = arrivals.size === known ? quietMs + 100 : 0;
    known = arrivals.size;
  }
}
