import { createSocket } from "node:dgram";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { freshHome } from "../world/fresh-home.ts";
import { type Home, run } from "../world/home.ts";
import { type HostileServer, openHostileServer, silence } from "../world/hostile-server.ts";
import { openReceiver, type Receiver } from "../world/receiver.ts";

const rounds = 21;
const warmUps = 3;

let receiver: Receiver;
let silent: HostileServer;
let nameServer: NameServer;
let homes: Readonly<Record<"alone" | "beside", Home>>;
beforeEach(async () => {
  [receiver, silent] = await Promise.all([openReceiver(), openHostileServer({ "*": silence })]);
  nameServer = await startNameServer();
  homes = { alone: freshHome({}, "beckon-alone"), beside: freshHome({}, "beckon-beside") };
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

const dead = ["dead-1", "dead-2", "dead-3", "dead-4"];

test("a hanging name server delays and is blamed for its own hosts only, with one query each", async () => {
  const { port } = new URL(receiver.url);
  const at = (host: string) => ({ type: "webhook", url: `http://${host}.test:${port}/in` });
  const notifiers = Object.fromEntries([...dead, "healthy"].map((host) => [host, at(host)]));
  homes.alone.writeConfig({ notifiers, lookups: [], delivery: { linger: "60s" } });
  for (const session of ["a", "b", "c", "d"]) {
    await launchAsking(nameServer, homes.alone, session);
    await homes.alone.until((journal) => journal.some((line) => line.sessionId === session && line.status === "sent"));
  }
  expect(receiver.accepted.map(({ headers }) => headers.host)).toEqual(Array(4).fill(`healthy.test:${port}`));
  expect(nameServer.asked.filter((name) => name.startsWith("dead")).sort()).toEqual(dead.map((host) => `${host}.test`));

  const journal = await homes.alone.until(
    (lines) => lines.filter(({ status }) => status === "retrying").length >= 4,
    30_000,
  );
  const blamed = journal.filter(({ status }) => status === "retrying");
  expect(new Set(blamed.map(({ notifier, reason }) => `${notifier}: ${reason}`))).toEqual(
    new Set(
      dead.map(
        (host) => `${host}: timeout: http://${host}.test:${port} cannot be reached: looking up its address timed out`,
      ),
    ),
  );
}, 90_000);

/** Loopback address on which port 53 is free, because resolv.conf takes no port. */
const address = "127.53.53.53";

interface NameServer {
  readonly address: string;
  /** Names that were looked up, with repeats; only for IPv4. */
  readonly asked: string[];
}

/**
 * A real name server on loopback, port 53, until the test ends; needs root. Resolves names that begin with `healthy` to
 * 127.0.0.1 and ignores all other queries.
 */
async function startNameServer(): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    if (type === typeA) asked.push(name);
    if (name.startsWith("healthy")) socket.send(buildAnswer(query.subarray(0, end), type), port, address);
  });
  socket.bind(53, address);
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  return { address, asked };
}

/** Runs a launcher and its worker with this name server in resolv.conf. Needs root. */
async function launchAsking(nameServer: NameServer, home: Home, session: string): Promise<void> {
  const resolvConf = join(home.paths.root, "resolv.conf");
  writeFileSync(resolvConf, `nameserver ${nameServer.address}\noptions timeout:30 attempts:2\n`);
  const payload = JSON.stringify({ hook_event_name: "Stop", session_id: session, cwd: "/home/dev/shop" });
  const script = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"';
  const hook = [home.paths.launcher, "Stop", "--agent", "claude"];
  const { env } = home;
  const result = await run("unshare", ["-m", "sh", "-c", script, "sh", resolvConf, ...hook], payload, { env });
  expect(result).toMatchObject({ exitCode: 0, stderr: "" });
}

const headerBytes = 12;
const typeA = 1;

/** Reads the question section of a query, RFC 1035 section 4.1.2, and its end offset. */
function readQuestion(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Builds the reply to a query with one question: 127.0.0.1 for an A record, no record for any other type. */
function buildAnswer(query: Buffer, type: number): Buffer {
  const reply = Buffer.from(query);
  reply.writeUInt16BE(0x8180, 2); // a response, recursion available, no error
  reply.writeUInt16BE(type === typeA ? 1 : 0, 6);
  reply.fill(0, 8, headerBytes);
  // The name as a pointer to the question, type A, class IN, sixty seconds, four bytes.
  const record = Buffer.from([0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat(type === typeA ? [reply, record] : [reply]);
}
