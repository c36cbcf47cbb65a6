import { linkSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { redactor } from "../../src/core/redactor.ts";
import { resolvePaths } from "../../src/files/paths.ts";
import { openJournal } from "../../src/journal/journal.ts";
import { eventEnvelope } from "../../src/relay/envelope.ts";
import { type Arrival, Intake } from "../../src/relay/intake.ts";
import { maxRejectedBytes, Received, Rejections } from "../../src/relay/receive.ts";
import { makeSpool } from "../../src/spool/put.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { freshFolder } from "../world/fresh-folder.ts";

/** Starts an intake for about six envelopes, with a separate spool and a stopped clock. */
function start(capacity = 6) {
  const root = freshFolder();
  const paths = resolvePaths(root);
  makeSpool(paths.spool);
  writeFileSync(join(root, "waits"), "");
  const clock = new FakeClock();
  const received = new Received(join(root, "received"), clock.now());
  const journal = openJournal(paths.journal, clock.now, redactor([]));
  const acknowledged: string[] = [];
  const rejections = new Rejections(paths, clock);
  const inbox = { paths, journal, received, rejections, identity: undefined, clock };
  const refused: string[] = [];
  const intake = new Intake(inbox, capacity, {
    acknowledge: async (ids) => void acknowledged.push(...ids),
    refuse: ({ sent }) => void refused.push(sent.id),
  });
  onTestFinished(() => intake.end());
  const waiting = join(paths.spool, "new");
  const fill = (from: number, to: number) => {
    for (let index = from; index < to; index += 1) linkSync(join(root, "waits"), join(waiting, `waits-${index}`)); // sooner than a write
  };
  const empty = () => {
    for (const file of readdirSync(waiting)) rmSync(join(waiting, file));
  };
  return { root, clock, intake, rejections, journal, acknowledged, refused, fill, empty };
}

const id = (letter: string) => `r_${letter.repeat(43)}`;

function arrival(letter: string, kind: "needs-you" | "finished", atMs: number, host = "devbox"): Arrival {
  const name = kind === "finished" ? "Stop" : "Notification";
  const event = { id: letter, event: name, nativeEvent: name, agent: "claude", kind, atMs, project: "shop", extra: {} };
  return { sent: eventEnvelope(id(letter), "edge", { event, facts: {} }), sender: { host, aheadMs: 0 } };
}

test("urgent events are stored before earlier ones, and all are acknowledged", async () => {
  const { clock, intake, acknowledged } = start();
  for (const letter of ["a", "b"]) intake.add(arrival(letter, "finished", clock.now()));
  intake.add(arrival("c", "needs-you", clock.now()));
  await expect.poll(() => acknowledged).toEqual([id("a"), id("c"), id("b")]);
});

test("a full spool has room for requests only; the others are retried five times a second", async () => {
  const { clock, intake, acknowledged, fill, empty } = start();
  fill(0, 500);
  intake.add(arrival("a", "finished", clock.now()));
  intake.add(arrival("b", "needs-you", clock.now()));
  await clock.advance(200);
  await expect.poll(() => acknowledged).toEqual([id("b")]);
  fill(500, 899); // with the request, 900
  intake.add(arrival("c", "needs-you", clock.now()));
  await clock.advance(1_000);
  expect(acknowledged).toEqual([id("b")]);
  empty();
  await clock.advance(199);
  expect(acknowledged).toEqual([id("b")]);
  await clock.advance(1);
  await expect.poll(() => acknowledged).toEqual([id("b"), id("c"), id("a")]);
});

test("no more is accepted than there is room for, and free space is reported", async () => {
  const { clock, intake, fill, empty, acknowledged } = start();
  fill(0, 900);
  const taken = [..."abcdefg"].map((letter) => intake.add(arrival(letter, "finished", clock.now())));
  expect(taken).toEqual([true, true, true, true, true, true, false]);
  let hasRoom = false;
  const room = intake.waitForRoom().then(() => {
    hasRoom = true;
  });
  await clock.advance(1_000);
  expect(hasRoom).toBe(false);
  empty();
  await clock.advance(200);
  await expect.poll(() => acknowledged.length).toBe(6);
  await clock.advance(20);
  await room;
});

test("an intake that has ended stores nothing more, and releases senders waiting for room", async () => {
  const { clock, intake, fill, empty, acknowledged } = start();
  fill(0, 900);
  for (const letter of "abcdef") intake.add(arrival(letter, "finished", clock.now()));
  const room = intake.waitForRoom();
  intake.end();
  empty();
  await clock.advance(1_000);
  await room;
  expect([acknowledged, clock.nextMs]).toEqual([[], undefined]);
});

/** Makes an unreadable envelope. */
function garbage(number: number, host: string, size = 10): Arrival {
  const sent = { id: `r_${String(number).padStart(43, "0")}`, type: "x", data: "x".repeat(size) };
  return { sent, sender: { host, aheadMs: 0 } };
}

function journalIn(root: string): { readonly host: string; readonly reason: string }[] {
  const folder = join(root, "journal");
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  const lines = texts.join("").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

test("ten unreadable envelopes a minute and machine are journalled and kept, the rest counted", async () => {
  const { root, clock, intake, rejections, journal, acknowledged, refused } = start(1_000);
  for (let number = 0; number < 500; number += 1) intake.add(garbage(number, "loud"));
  for (let number = 500; number < 503; number += 1) intake.add(garbage(number, "other"));
  intake.add(arrival("a", "needs-you", clock.now(), "other"));
  await expect.poll(() => acknowledged.length + refused.length).toBe(504);
  expect([acknowledged.length, refused.length]).toEqual([14, 490]);
  const lines = journalIn(root);
  expect(lines.filter(({ host }) => host === "loud").length).toBe(11);
  expect(lines.filter(({ host }) => host === "other").length).toBe(3);
  expect(lines.filter(({ reason }) => reason.includes("more than 10 a minute are only counted")).length).toBe(1);
  expect(readdirSync(join(root, "spool", "dead")).length).toBe(13);
  rejections.flush(journal);
  await clock.advance(60_000);
  rejections.flush(journal);
  rejections.flush(journal);
  const reason = "489 more could not be read within a minute";
  expect(journalIn(root).slice(14)).toMatchObject([{ host: "loud", reason }]);
  intake.add(garbage(600, "loud"));
  await expect.poll(() => acknowledged.length).toBe(15);
});

test("64 KiB of an unreadable envelope are kept, and 200 envelopes in all", async () => {
  const { root, intake, acknowledged } = start(1_000);
  for (let number = 0; number < 250; number += 1) intake.add(garbage(number, `host-${number}`, 100_000));
  await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBe(250);
  const dead = join(root, "spool", "dead");
  expect(readdirSync(dead).length).toBe(200);
  for (const file of readdirSync(dead)) expect(statSync(join(dead, file)).size).toBe(maxRejectedBytes);
});

test("machines behind one server take turns, requests first", async () => {
  const { clock, intake, acknowledged } = start(100);
  for (const letter of "abcdef") intake.add(arrival(letter, "finished", clock.now(), "loud"));
  intake.add(arrival("x", "finished", clock.now(), "quiet"));
  intake.add(arrival("y", "finished", clock.now(), "quiet"));
  intake.add(arrival("z", "needs-you", clock.now(), "loud"));
  await expect.poll(() => acknowledged.length).toBe(9);
  expect(acknowledged.map((sent) => sent[2]).join("")).toBe("azxbycdef");
});
