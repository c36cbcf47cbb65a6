import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "../world/home.ts";
import { type HostileServer, silence, startHostileServer } from "../world/hostile-server.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";
import { launchAsking, type NameServer, startNameServer } from "./name-server.ts";

const rounds = 21;
const warmUps = 3;

let receiver: Receiver;
let silent: HostileServer;
let nameServer: NameServer;
let homes: Readonly<Record<"alone" | "beside", Home>>;
beforeEach(async () => {
  [receiver, silent] = await Promise.all([startReceiver(), startHostileServer({ "*": silence })]);
  nameServer = await startNameServer();
  homes = { alone: createHome("beckon-alone"), beside: createHome("beckon-beside") };
});
afterEach(async () => {
  await Promise.all([homes.alone.remove(), homes.beside.remove()]);
  await Promise.all([receiver.close(), silent.close(), nameServer.close()]);
});

/** Measures the milliseconds from a hook's start until the receiver has its event. */
async function timeTaken(home: Home, session: string): Promise<number> {
  const startedAtMs = Date.now();
  await launchAsking(nameServer, home, session);
  const arrived = () => receiver.accepted.find(({ body }) => body.includes(`"${session}"`));
  await home.until(() => arrived() !== undefined);
  return (arrived()?.atMs ?? Number.NaN) - startedAtMs;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

test("slow or hanging notifiers at most double the delivery time of others", async () => {
  const healthy = { type: "webhook", url: receiver.url };
  const others = {
    hangs: { type: "webhook", url: `${silent.origin}/in` },
    lookup: { type: "webhook", url: "http://dead.test:9/in" },
    slow: { type: "command", run: ["sleep", "30"], timeout: "60s" },
  };
  const rest = { lookups: [], delivery: { linger: "60s" } };
  homes.alone.writeConfig({ notifiers: { healthy }, ...rest });
  homes.beside.writeConfig({ notifiers: { ...others, healthy }, ...rest });
  const times: Record<keyof typeof homes, number[]> = { alone: [], beside: [] };
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const name of round % 2 ? (["alone", "beside"] as const) : (["beside", "alone"] as const)) {
      const tookMs = await timeTaken(homes[name], `${name}-${round}`);
      if (round >= 0) times[name].push(tookMs);
    }
  }
  const [alone, beside] = [median(times.alone), median(times.beside)];
  console.log(`from event to delivery: ${alone} ms alone, ${beside} ms beside the others`);
  expect(beside / alone).toBeLessThanOrEqual(2);
}, 120_000);
