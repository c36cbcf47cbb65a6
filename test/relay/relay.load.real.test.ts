import { existsSync, readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/event.ts";
import type { Kind } from "../../src/core/vocabulary.ts";
import { eventEnvelope, wireIds } from "../../src/relay/envelope.ts";
import { Outbox } from "../../src/relay/outbox.ts";
import { relayFiles } from "../../src/relay/relay-status.ts";
import { sleep } from "../world/home.ts";
import { pipesTo, useHomes } from "../world/two-homes.ts";

const count = 10_000;
/** Time limit for draining: 295 s were measured on two cores with a load of 20, mostly in the worker. */
const limitMs = 480_000;
/** Number of delivered events after which the connection breaks, and the receiver is killed. */
const breakAt = [1_000, 4_000, 8_000];
const killAt = [2_500, 6_000];

const homes = useHomes();
beforeEach(() => {
  // Sends to a program, which gets every event separately, as suppression for users is not part of the relay.
  homes.desk.writeConfig({
    notifiers: { desk: { type: "file", path: homes.notificationsFile } },
    routes: [{ to: ["desk"] }],
    relay: { from: [{ via: pipesTo(homes.edge), host: "devbox" }] },
  });
});

test("10,000 waiting events are delivered once each, requests first, through many failures", drain, limitMs);

async function drain(): Promise<void> {
  const kinds = fillOutbox();
  const startedAtMs = performance.now();
  let receiver = homes.receive();
  for (const [messageCount, act] of faults()) {
    await waitForMessages(messageCount);
    if (act === "break") await homes.until(() => homes.breakConnections(), 60_000);
    else {
      await homes.end(receiver, "SIGKILL");
      receiver = homes.receive();
    }
  }
  await waitForMessages(count);
  const tookS = (performance.now() - startedAtMs) / 1_000;
  console.info(`${count} events in ${tookS.toFixed(1)} s: ${Math.round(count / tookS)} a second`);
  await homes.until(() => homes.outbox().length === 0, 60_000);
  await homes.until(() => homes.desk.spooled().length === 0, 60_000);

  const journal = homes.deskJournal();
  const listIds = (status: string) => journal.filter((line) => line.status === status).map(({ id }) => id);
  for (const status of ["accepted", "sent"]) {
    expect(listIds(status).length).toBe(count);
    expect(new Set(listIds(status))).toEqual(new Set(kinds.keys()));
  }
  expect(new Set(journal.map(({ status }) => status))).toEqual(new Set(["accepted", "sent", "resolved"]));
  const messageCount = homes.notifications().map(({ id }) => id);
  expect(messageCount.toSorted()).toEqual([...kinds.keys()].toSorted());

  const lastRequest = messageCount.findLastIndex((id) => kinds.get(id) === "needs-you");
  const finishedBefore = lastRequest + 1 - count / 4;
  console.info(`${finishedBefore} of ${(count * 3) / 4} finished ones were sent before the last request`);
  // Requests in flight when the receiver was killed wait until the next one has run for a second.
  expect(finishedBefore).toBeLessThan(count / 5);
}

/** Returns the failures, each after a number of delivered events. */
function faults() {
  const [breaks, kills] = [
    breakAt.map((messageCount) => [messageCount, "break"] as const),
    killAt.map((messageCount) => [messageCount, "kill"] as const),
  ];
  return [...breaks, ...kills].toSorted(([left], [right]) => left - right);
}

/** Stores the events in the edge worker's outbox. Returns their kinds by id. */
function fillOutbox(): Map<string, Kind> {
  const files = relayFiles(homes.edge.paths);
  const outbox = new Outbox(files.outbox);
  const wireId = wireIds(files.secret);
  const ids = new Map<string, Kind>();
  for (let index = 0; index < count; index += 1) {
    const event = buildEvent(index);
    const id = wireId(event.id);
    ids.set(id, event.kind);
    outbox.store(eventEnvelope(id, "edge", { event, facts: { title: `Task ${index % 700}`, model: "claude" } }));
  }
  return ids;
}

/** Makes an event. Every fourth event is a request for the user; sessions have several events each. */
function buildEvent(index: number): AgentEvent {
  const isRequest = index % 4 === 3;
  const event = isRequest ? "Notification" : "Stop";
  return {
    ...{ id: `event-${index}`, event, nativeEvent: event, kind: isRequest ? "needs-you" : "finished" },
    ...{ agent: "claude", project: "shop", cwd: "/home/ann/shop", atMs: Date.now() - count + index },
    ...{ sessionId: isRequest ? `request ${index % 900}` : `work ${index % 700}`, extra: {} },
    message: `what event ${index} says`,
  };
}

async function waitForMessages(wanted: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (countMessages() < wanted) {
    if (performance.now() > deadline) throw new Error(`${countMessages()} of ${wanted} sent`);
    await sleep(200);
  }
}

/** Counts the delivered lines without parsing them. */
function countMessages(): number {
  if (!existsSync(homes.notificationsFile)) return 0;
  return readFileSync(homes.notificationsFile, "latin1").split("\n").length - 1;
}
