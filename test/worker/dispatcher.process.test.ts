import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { createGate, type Gate } from "../world/gate.ts";
import { createHome, type Home } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

let home: Home;
let receiver: Receiver;
let gate: Gate;
beforeEach(() => {
  home = createHome();
  gate = createGate(home.paths.root);
});
afterEach(async () => {
  gate.open();
  await home.remove();
  await receiver.close();
});

/** Has events go to a healthy webhook, and to a command that hangs. */
async function listen(script?: Parameters<typeof startReceiver>[0]): Promise<void> {
  receiver = await startReceiver(script);
  const notifiers = { hook: { type: "webhook", url: receiver.url }, mine: gate.notifier };
  home.writeConfig({ notifiers, lookups: [], delivery: { linger: "5s", retryDelays: ["200ms"] } });
}

/** A Stop of a session of its own, as a hook would have stored it, in the spool as `file`. */
function store(session: string, file = session): void {
  const payload = JSON.stringify({ hook_event_name: "Stop", session_id: session, cwd: "/home/dev/shop" });
  put(home.paths.spool, file, encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from(payload)));
}

const launch = (event: string, session: string, more: object = {}) =>
  home.launch(
    [event, "--agent", "claude"],
    JSON.stringify({ hook_event_name: event, session_id: session, cwd: "/home/dev/shop", ...more }),
  );
const ask = (session: string) => launch("Notification", session, { message: "Claude needs your permission" });

const sessions = () =>
  receiver.accepted.map(({ body }) => (JSON.parse(body) as { data: { sessionId: string } }).data.sessionId);
const many = (prefix: string, count: number) => Array.from({ length: count }, (_, number) => `${prefix}${number}`);

describe("while a notifier hangs", () => {
  test("every event reaches the others", async () => {
    await listen();
    const stops = many("s", 20);
    for (const session of stops) store(session);
    await ask("question");
    await home.until(() => sessions().includes("question"));
    await home.until(() => stops.every((session) => sessions().includes(session)));
    expect(home.journal().filter(({ status, notifier }) => status === "sent" && notifier === "mine")).toEqual([]);
  });

  test("it has two attempts under way, and a question is its next one", async () => {
    await listen();
    for (const session of many("s", 6)) store(session);
    await launch("Stop", "s6");
    await home.until(() => sessions().length === 7 && gate.kindsBegun().length === 2);
    await ask("question");
    await home.until(() => sessions().includes("question"));
    expect(gate.kindsBegun()).toEqual(["finished", "finished"]);
    gate.open();
    await home.until(() => gate.kindsBegun().length === 8);
    expect(gate.kindsBegun()[2]).toBe("needs-you");
    await home.until(() => home.spooled().length === 0);
    expect(home.journal().filter(({ status }) => status === "sent")).toHaveLength(16);
  });

  test("another one's retry of the same event is not kept waiting", async () => {
    await listen([{ status: 500 }, { status: 500 }, { status: 200 }]);
    await launch("Stop", "one");
    await home.until(() => sessions().includes("one"));
    expect(home.journal().filter(({ status }) => status === "retrying")).toHaveLength(2);
    expect(home.journal().filter(({ notifier }) => notifier === "mine")).toEqual([]);
  });

  test("events with which a worker died are delivered all the same, and those that come later too", async () => {
    await listen();
    for (const session of many("s", 3)) store(session, `${session}.c1`);
    await launch("Stop", "s3");
    await home.until(() => many("s", 4).every((session) => sessions().includes(session)));
    await launch("Stop", "later");
    await home.until(() => sessions().includes("later"));
    expect(home.journal().filter(({ notifier, status }) => notifier === "mine" && status === "sent")).toEqual([]);
  });

  test("a changed configuration counts for the messages that wait for it", async () => {
    await listen();
    for (const session of many("s", 4)) store(session);
    await launch("Stop", "s4");
    await home.until(() => sessions().length === 5 && gate.kindsBegun().length === 2);
    const hook = { type: "webhook", url: receiver.url };
    home.writeConfig({ notifiers: { hook }, lookups: [], delivery: { linger: "5s" } });
    await launch("Stop", "s5");
    await home.until(() => sessions().length === 6 && home.spooled().length === 2);
    expect(gate.kindsBegun()).toHaveLength(2);
  });
});

test.each([1, 2])(
  "an event over which workers died, %i of them, waits until the next has lived for a second; others do not",
  async (crashes) => {
    await listen();
    store("suspect", `suspect.c${crashes}`);
    const launchedAtMs = Date.now();
    await launch("Stop", "other");
    const journal = await home.until(() => sessions().includes("suspect"));
    const accepted = journal.filter(({ status }) => status === "accepted");
    expect(accepted.map(({ sessionId }) => sessionId)).toEqual(["other", "suspect"]);
    expect(Date.parse(accepted[1]?.at ?? "") - launchedAtMs).toBeGreaterThanOrEqual(1000);
  },
);

test("the events of one session are judged in order, while those of another are judged beside them", async () => {
  const [slow, other] = ["0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7"];
  const held: ServerResponse[] = [];
  const service = createServer(({ url = "" }, response) => {
    if (url.includes(slow) && held.length === 0) held.push(response);
    else response.writeHead(404).end("{}");
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  receiver = await startReceiver();
  home.writeConfig({
    notifiers: { hook: { type: "webhook", url: receiver.url } },
    lookups: ["service"],
    service: { baseUrl, apiKey: "a-key" },
    delivery: { linger: "5s" },
  });
  store(slow, "first");
  await ask(slow);
  await home.until(() => held.length === 1);
  await launch("Stop", other);
  await home.until(() => sessions().includes(other));
  held[0]?.writeHead(404).end("{}");
  const journal = await home.until(() => sessions().filter((session) => session === slow).length === 2);
  const accepted = journal.filter(({ status, sessionId }) => status === "accepted" && sessionId === slow);
  expect(accepted.map(({ event }) => event)).toEqual(["Stop", "Notification"]);
  service.closeAllConnections();
  service.close();
});

test("a file in the spool that cannot be read stops no event", async () => {
  await listen();
  mkdirSync(join(home.paths.spool, "cur", "odd.t5.json"));
  await launch("Stop", "one");
  await home.until(() => sessions().includes("one"));
  await launch("Stop", "two");
  await home.until(() => sessions().includes("two"));
});

test("an event that cannot be claimed is reported once and left alone", async () => {
  await listen();
  await launch("Stop", "one");
  await home.until(() => sessions().includes("one"));
  const obstacle = join(home.paths.spool, "cur", "two.json", "in-the-way");
  mkdirSync(obstacle, { recursive: true });
  mkdirSync(join(home.paths.spool, "new", "two.c1.json", "in-the-way"), { recursive: true });
  store("two");
  await launch("Stop", "three");
  await home.until(() => sessions().includes("three"));
  await launch("Stop", "four");
  const journal = await home.until(() => sessions().includes("four"));
  expect(journal.filter(({ id }) => id === "two").map(({ status }) => status)).toEqual(["retrying"]);
  expect(home.spooled()).toContain("new/two.json");
});

test("messages are sent while a long backlog is still being judged", async () => {
  receiver = await startReceiver();
  home.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery: { linger: "5s" } });
  for (const session of many("s", 200)) store(session);
  await launch("Stop", "last");
  const journal = await home.until((lines) => lines.filter(({ status }) => status === "sent").length === 201);
  const statuses = journal.map(({ status }) => status);
  expect(statuses.indexOf("sent")).toBeLessThan(statuses.lastIndexOf("accepted"));
});
