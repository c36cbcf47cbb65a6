import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/event.ts";
import { type Envelope, eventEnvelope, maxEnvelopeBytes, stateEnvelope } from "../../src/relay/envelope.ts";
import { Outbox } from "../../src/relay/outbox.ts";
import { Received } from "../../src/relay/received.ts";
import { newIdentity, seal, unseal } from "../../src/relay/seal.ts";
import { wireIds } from "../../src/relay/wire-id.ts";

let folder: string;
let outbox: Outbox;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "beckon-outbox-"));
  outbox = new Outbox(join(folder, "outbox"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const nowMs = Date.parse("2026-11-22T12:00:00Z");
const dayMs = 24 * 3_600_000;
const idOf = (text: string) => wireIds(join(folder, "secret"))(text);
const event = (changes: Partial<AgentEvent> = {}): AgentEvent => ({
  ...{ id: "one", atMs: nowMs, event: "Stop", nativeEvent: "Stop", agent: "claude", kind: "finished" },
  ...{ project: "shop", sessionId: "s-1", extra: { canary: true } },
  ...changes,
});
const envelopeOf = (id: string, changes: Partial<AgentEvent> = {}): Envelope =>
  eventEnvelope(idOf(id), "devbox", { event: event({ id, ...changes }), facts: {} });

test("what is over goes first, then what needs the person, each by its time", () => {
  outbox.put(envelopeOf("late", { atMs: nowMs + 5 }));
  outbox.put(envelopeOf("done"));
  outbox.put(envelopeOf("ask", { kind: "needs-you", atMs: nowMs + 9 }));
  outbox.put(
    stateEnvelope(idOf("state"), "devbox", [{ id: idOf("x"), state: "resolved", atMs: nowMs + 10, by: "seen" }]),
  );
  expect(outbox.entries().map(({ id }) => id)).toEqual(["state", "ask", "done", "late"].map(idOf));
});

test("the same again takes its own place, and what is read is what was put", () => {
  outbox.put(envelopeOf("one"));
  outbox.put(envelopeOf("one"));
  const [entry, ...others] = outbox.entries();
  expect(others).toEqual([]);
  expect(entry && outbox.read(entry)).toEqual(envelopeOf("one"));
  expect(JSON.stringify(entry && outbox.read(entry))).not.toContain("canary");
});

test("files and folder are private", () => {
  outbox.put(envelopeOf("one"));
  const [entry] = outbox.entries();
  expect(statSync(outbox.folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(outbox.folder, entry?.file ?? "")).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "secret")).mode & 0o777).toBe(0o600);
});

test("foreign files are no entries, and no envelope is read from a torn one", () => {
  outbox.put(envelopeOf("one"));
  const [entry] = outbox.entries();
  if (!entry) throw new Error("nothing was put");
  writeFileSync(join(outbox.folder, "README"), "");
  writeFileSync(join(outbox.folder, entry.file), '{"specversion":"1.0"');
  expect(outbox.entries()).toHaveLength(1);
  expect(outbox.read(entry)).toBeUndefined();
});

test("after eight days, and of writers that were killed, nothing is left", () => {
  outbox.put(envelopeOf("old", { atMs: nowMs - 8 * dayMs - 1 }));
  outbox.put(envelopeOf("young", { atMs: nowMs - 8 * dayMs + 1 }));
  const [left, fresh] = ["left.json.1.new", "fresh.json.2.new"].map((file) => join(outbox.folder, file));
  for (const file of [left, fresh]) writeFileSync(file ?? "", "");
  utimesSync(left ?? "", nowMs / 1000 - 61, nowMs / 1000 - 61);
  utimesSync(fresh ?? "", nowMs / 1000 - 59, nowMs / 1000 - 59);
  outbox.sweep(nowMs);
  expect(outbox.entries().map(({ id }) => id)).toEqual([idOf("young")]);
  expect([existsSync(left ?? ""), existsSync(fresh ?? "")]).toEqual([false, true]);
});

test("a full outbox says so, and the event waits in the spool", () => {
  mkdirSync(outbox.folder);
  const file = join(folder, "empty");
  writeFileSync(file, "");
  const name = (n: number) => `2-${String(n).padStart(16, "0")}-${idOf("x")}.json`;
  for (let n = 0; n < 20_000; n += 1) linkSync(file, join(outbox.folder, name(n))); // quicker than as many files
  expect(() => outbox.put(envelopeOf("one"))).toThrow(/20000 events wait already/);
});

test("the largest event fits, sealed, into an envelope", async () => {
  const long = "漢".repeat(300_000);
  const facts = { title: long, summary: long, lastMessage: long, stillRuns: long, branch: long };
  const one = event({ message: long, lastMessage: long, reason: long, cwd: long, project: long });
  const { recipient } = await newIdentity();
  const sealed = await seal(eventEnvelope(idOf("one"), "devbox", { event: one, facts }), [recipient]);
  expect(Buffer.byteLength(JSON.stringify(sealed))).toBeLessThan(maxEnvelopeBytes);
});

test("each of several machines can open what is sealed for them, and no other", async () => {
  const [mine, yours, nobody] = await Promise.all([newIdentity(), newIdentity(), newIdentity()]);
  const sealed = await seal(envelopeOf("one"), [mine.recipient, yours.recipient]);
  expect(await unseal(sealed, mine.identity)).toEqual(envelopeOf("one").data);
  expect(await unseal(sealed, yours.identity)).toEqual(envelopeOf("one").data);
  await expect(unseal(sealed, nobody.identity)).rejects.toThrow("sealed for another key");
  await expect(unseal(sealed, undefined)).rejects.toThrow("no `relay.identity`");
});

test("what came in is remembered over a restart, as perhaps stored, for nine days", () => {
  const first = new Received(join(folder, "received"), nowMs);
  first.begin("devbox", "r_1", nowMs);
  first.begin("devbox", "r_2", nowMs - 10 * dayMs);
  first.stored("devbox", "r_1");
  expect([first.of("devbox", "r_1"), first.of("other", "r_1")]).toEqual(["stored", undefined]);
  const again = new Received(join(folder, "received"), nowMs);
  expect([again.of("devbox", "r_1"), again.of("devbox", "r_2")]).toEqual(["begun", undefined]);
  expect(readdirSync(join(folder, "received"))).toEqual(["2026-11-22"]);
});

test("a line that a full disk has torn costs itself alone", () => {
  mkdirSync(join(folder, "received"));
  writeFileSync(join(folder, "received", "2026-11-22"), "\ndevbox r_1\n\ndevb");
  new Received(join(folder, "received"), nowMs).begin("devbox", "r_2", nowMs);
  const again = new Received(join(folder, "received"), nowMs);
  expect(["r_1", "r_2"].map((id) => again.of("devbox", id))).toEqual(["begun", "begun"]);
});
