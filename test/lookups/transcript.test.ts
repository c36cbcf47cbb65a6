import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { AgentEvent } from "../../src/core/event.ts";
import type { FoundFacts } from "../../src/core/facts.ts";
import { lookupLoaders } from "../../src/lookups/registry.ts";
import { transcript } from "../../src/lookups/transcript.ts";
import { useFolder } from "../world/fresh-folder.ts";
import { makeEvent, ports } from "./loopback.ts";

const fixtures = join(import.meta.dirname, "..", "fixtures");
const at = useFolder();
beforeEach(() => {
  vi.stubEnv("HOME", at());
  vi.stubEnv("USERPROFILE", at());
});

function find(fields: Partial<AgentEvent>, signal = AbortSignal.timeout(5000), within = ports): Promise<FoundFacts> {
  return transcript.find({ event: makeEvent(fields), settings: undefined, ports: within, signal });
}

/** Copies a fixture to an agent's transcript folder. Returns its path. */
function place(name: string, path: string): string {
  const target = at(path);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(fixtures, name), target);
  return target;
}

const said = "All done: the file was reviewed.";
const tool = (bytes: number): string =>
  `${JSON.stringify({ type: "message", message: { role: "user", content: [{ type: "tool_result", content: "x".repeat(bytes) }] } })}\n`;

test("finds Copilot's transcript by the session's id, and accepts no other text as one", async () => {
  place("transcripts/copilot-headless.jsonl", ".copilot/session-state/283b/events.jsonl");
  expect(await find({ agent: "copilot", sessionId: "283b" })).toMatchObject({ summary: "All done: the tests pass." });
  expect(await find({ agent: "copilot", sessionId: "../session-state/283b" })).toEqual({});
});

test("finds Kimi's transcript by the index of its sessions, as no payload has its path", async () => {
  const sessionId = "session_568d02c3-364d-4d61-94f0-5f1376f0900e";
  const folder = `.kimi-code/sessions/wd_shop_d61d1c3237a0/${sessionId}`;
  place("transcripts/kimi-headless.jsonl", `${folder}/agents/main/wire.jsonl`);
  const index = { sessionId, sessionDir: at(folder) };
  writeFileSync(at(".kimi-code", "session_index.jsonl"), `${JSON.stringify(index)}\n`);
  expect(await find({ agent: "kimi", sessionId })).toMatchObject({ summary: "All done: the tests pass.", turnMs: 209 });
  expect(await find({ agent: "kimi", sessionId: "session_0" })).toEqual({});
  expect(await find({ agent: "droid", sessionId })).toEqual({});
});

test.each([
  [
    "copilot",
    ".copilot/session-state/283b/events.jsonl",
    "copilot-workspace.yaml",
    "workspace.yaml",
    "please TOOL now",
  ],
  ["grok", ".grok/sessions/shop/01a1/updates.jsonl", "grok-summary.json", "summary.json", "All done: the tests pass."],
])("reads %s's transcript, and the title from the neighbouring file", async (agent, path, companion, name, title) => {
  const transcriptPath = place(`transcripts/${agent}-headless.jsonl`, path);
  place(`transcripts/${companion}`, join(dirname(path), name));
  expect(await find({ agent, transcriptPath })).toMatchObject({ title, summary: "All done: the tests pass." });
});

test.each([
  ["droid", ".factory/sessions/-home-dev-shop/df98.jsonl", { title: "say hi", tokens: { input: 10, credits: 0 } }],
  ["claude", ".claude/projects/-home-dev-shop/08c2.jsonl", { branch: "master" }],
  ["codex", ".codex/sessions/2026/11/20/rollout-01a1.jsonl", { title: "Say hi", turnMs: 95 }],
  ["qwen", ".qwen/projects/-home-dev-shop/chats/1589.jsonl", { model: "fake" }],
])("reads %s's captured transcript and the neighbouring file", async (agent, path, facts) => {
  const transcriptPath = place(`payloads/transcripts/${agent}.jsonl`, path);
  place("payloads/transcripts/droid.settings.json", ".factory/sessions/-home-dev-shop/df98.settings.json");
  mkdirSync(at(".codex"), { recursive: true });
  const named = '{"id":"01a1f98c-06e2-7d01-a813-17d5c1d902de","thread_name":"Say hi"}\n';
  writeFileSync(at(".codex", "session_index.jsonl"), named);
  expect(await find({ agent, transcriptPath })).toMatchObject({ ...facts, lastMessage: said, summary: said });
});

test("finds the session that called a sub-agent's own session", async () => {
  const transcriptPath = place("transcripts/droid-subagent-session.jsonl", "child.jsonl");
  const { callingSessionId } = await find({ transcriptPath });
  expect(callingSessionId).toBe("0cb3bb8b-6a46-4ffd-95a8-730770e578a5");
});

test("finds a path below the home folder", async () => {
  place("payloads/transcripts/droid.jsonl", ".factory/a.jsonl");
  expect(await find({ transcriptPath: "~/.factory/a.jsonl" })).toMatchObject({ title: "say hi" });
});

test("prefers the payload's last message", async () => {
  const transcriptPath = place("transcripts/droid-at-stop.jsonl", "a.jsonl");
  const facts = await find({ transcriptPath, lastMessage: "The *newest* answer. More." });
  expect(facts).toMatchObject({ lastMessage: "The *newest* answer. More.", summary: "The newest answer." });
});

test("takes the payload's answer if the transcript is late", async () => {
  const transcriptPath = place("transcripts/claude-lagging.jsonl", "a.jsonl");
  const facts = await find({ agent: "claude", transcriptPath, lastMessage: "The second answer." });
  expect(facts).toMatchObject({ lastMessage: "The second answer.", branch: "feature/login" });
});

test("has only the payload's last message for an unknown agent", async () => {
  const transcriptPath = place("payloads/transcripts/droid.jsonl", "a.jsonl");
  const facts = await find({ agent: "another", transcriptPath, lastMessage: said });
  expect(facts).toEqual({ lastMessage: said, summary: said });
  expect(await find({ agent: "another" })).toEqual({});
});

test.each([
  ["relative", () => "a.jsonl"],
  ["missing", () => at("missing.jsonl")],
  ["a folder", () => at()],
  ["with a zero byte", () => `${at("a.jsonl")}\0`],
  ["in another user's home", () => "~root/a.jsonl"],
])("finds nothing at a path that is %s", async (_, path) => {
  place("payloads/transcripts/droid.jsonl", "a.jsonl");
  expect(await find({ transcriptPath: path() })).toEqual({});
});

test.each([
  ["30 kB", 30_000, "seen"],
  ["100 kB", 100_000, "seen"],
  ["400 kB", 400_000, "seen"],
  ["600 kB", 600_000, "not seen"],
])("looks for the last answer behind %s of tool output", async (_, bytes, outcome) => {
  const transcriptPath = place("transcripts/droid-at-stop.jsonl", "long.jsonl");
  for (let written = 0; written < bytes; written += 10_000) appendFileSync(transcriptPath, tool(10_000));
  const facts = await find({ transcriptPath });
  expect(facts.title).toBe("fix the login");
  expect(facts.summary).toBe(outcome === "seen" ? "The login works again." : undefined);
});

test("looks further back for the prompt, to measure the turn", async () => {
  const transcriptPath = place("transcripts/droid-at-stop.jsonl", "long.jsonl");
  for (let part = 0; part < 10; part += 1) appendFileSync(transcriptPath, tool(10_000));
  const answer = { role: "assistant", content: [{ type: "text", text: "After long work." }] };
  appendFileSync(
    transcriptPath,
    JSON.stringify({ type: "message", id: "a9", timestamp: "2026-11-20T15:31:12.132Z", message: answer }),
  );
  expect(await find({ transcriptPath })).toMatchObject({ lastMessage: "After long work.", turnMs: 600_000 });
});

test("returns the payload's facts when the disk hangs for longer than the budget", async () => {
  const never = {
    ...ports.files,
    readTail: () => new Promise<never>(() => {}),
    readHead: () => new Promise<never>(() => {}),
  };
  const fields = { transcriptPath: at("a.jsonl"), lastMessage: said };
  const facts = await find(fields, AbortSignal.timeout(50), { ...ports, files: never });
  expect(facts).toEqual({ lastMessage: said, summary: said });
});

const stop = { event: "Stop" } as const;
const question = { event: "Notification", kind: "needs-you", notificationType: "elicitation_dialog" } as const;

test("is read once more if it lacks the answer of a turn", async () => {
  const path = at("late.jsonl");
  copyFileSync(join(fixtures, "transcripts/droid-at-stop.jsonl"), path);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const answer = lines.findLastIndex((line) => line.includes("I look at the form first"));
  writeFileSync(path, `${lines.slice(0, answer).join("\n")}\n`);
  const write = () => appendFileSync(path, `${lines.slice(answer).join("\n")}\n`);
  const { facts, waits } = await findLate({ agent: "droid", transcriptPath: path, ...stop }, write);
  expect(facts.summary).toBe("The login works again.");
  expect(waits).toEqual([250]);
});

/** Looks for facts in a transcript that is written while the lookup waits. Returns them, and the waits in ms. */
async function findLate(fields: Partial<AgentEvent>, write: () => void) {
  const waits: number[] = [];
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms);
    write();
  };
  const late = { ...ports, clock: { ...ports.clock, wait } };
  return { facts: await find(fields, AbortSignal.timeout(5000), late), waits };
}

test.each([
  { named: "is there a moment after a turn's end", folder: "session-state/s1", event: stop, waits: [250] },
  { named: "is there a moment after a question", folder: "session-state/s1", event: question, waits: [250] },
  { named: "may never be there", folder: "nowhere/s1", event: stop, waits: [] },
  { named: "is not needed", folder: "session-state/s1", event: { ...stop, lastMessage: "Reviewed." }, waits: [] },
])("one that $named", async ({ folder, event: fields, waits: expected }) => {
  const path = at(folder, "events.jsonl");
  mkdirSync(at("session-state/s1"), { recursive: true });
  const record = (type: string, content: string) =>
    `${JSON.stringify({ type, timestamp: "2026-11-22T11:11:08Z", data: { content } })}\n`;
  const write = () =>
    writeFileSync(path, record("user.message", "Review the file") + record("assistant.message", "Reviewed."));
  const { facts, waits } = await findLate({ agent: "copilot", transcriptPath: path, ...fields }, write);
  expect(facts.work === undefined).toBe(expected.length === 0);
  expect(waits).toEqual(expected);
});

describe.each(Object.entries(lookupLoaders))("the lookup %s", (name, load) => {
  test("is registered under its own name, with one sentence and a budget", async () => {
    const lookup = await load();
    expect(lookup.name).toBe(name);
    expect(lookup.summary).toMatch(/^[A-Z].*[^.]\.$/);
    expect(lookup.budgetMs).toBeGreaterThan(0);
    expect(lookup.budgetMs).toBeLessThanOrEqual(2000);
  });
});
