import { linkSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pathsOf } from "../../src/core/paths.ts";
import { redactor } from "../../src/core/secret.ts";
import { openJournal } from "../../src/pipeline/journal.ts";
import { eventEnvelope } from "../../src/relay/envelope.ts";
import { type Arrival, Intake } from "../../src/relay/intake.ts";
import { Received } from "../../src/relay/received.ts";
import { makeSpool } from "../../src/spool/put.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { freshFolder } from "../world/fresh-folder.ts";

/** An intake for six, with a spool of its own and a clock that stands still. */
function start() {
  const root = freshFolder();
  const paths = pathsOf(root);
  makeSpool(paths.spool);
  writeFileSync(join(root, "waits"), "");
  const clock = new FakeClock();
  const received = new Received(join(root, "received"), clock.now());
  const journal = openJournal(paths.journal, clock.now, redactor([]));
  const acknowledged: string[] = [];
  const inbox = { paths, journal, received, identity: undefined, clock };
  const intake = new Intake(inbox, 6, async (ids) => void acknowledged.push(...ids));
  onTestFinished(() => intake.end());
  const waiting = join(paths.spool, "new");
  const fill = (from: number, to: number) => {
    for (let n = from; n < to; n += 1) linkSync(join(root, "waits"), join(waiting, `waits-${n}`)); // sooner than a write
  };
  const empty = () => {
    for (const file of readdirSync(waiting)) rmSync(join(waiting, file));
  };
  return { clock, intake, acknowledged, fill, empty };
}

const id = (letter: string) => `r_${letter.repeat(43)}`;

function arrival(letter: string, kind: "needs-you" | "finished", atMs: number): Arrival {
  const name = kind === "finished" ? "Stop" : "Notification";
  const event = { id: letter, event: name, nativeEvent: name, agent: "claude", kind, atMs, project: "shop", extra: {} };
  return { sent: eventEnvelope(id(letter), "edge", { event, facts: {} }), sender: { host: "devbox", aheadMs: 0 } };
}

test("what is urgent is stored before what came earlier, and all is acknowledged", async () => {
  const { clock, intake, acknowledged } = start();
  for (const letter of ["a", "b"]) intake.add(arrival(letter, "finished", clock.now()));
  intake.add(arrival("c", "needs-you", clock.now()));
  await expect.poll(() => acknowledged).toEqual([id("a"), id("c"), id("b")]);
});

test("in a full spool there is room for requests alone; the others are tried again five times a second", async () => {
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

test("no more is taken in than there is room for, and room is told once there is some", async () => {
  const { clock, intake, fill, empty, acknowledged } = start();
  fill(0, 900);
  const taken = [..."abcdefg"].map((letter) => intake.add(arrival(letter, "finished", clock.now())));
  expect(taken).toEqual([true, true, true, true, true, true, false]);
  let hasRoom = false;
  const room = intake.room().then(() => {
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

test("one that has ended stores nothing more, and lets go of who waits for room", async () => {
  const { clock, intake, fill, empty, acknowledged } = start();
  fill(0, 900);
  for (const letter of "abcdef") intake.add(arrival(letter, "finished", clock.now()));
  const room = intake.room();
  intake.end();
  empty();
  await clock.advance(1_000);
  await room;
  expect([acknowledged, clock.nextMs]).toEqual([[], undefined]);
});
