import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { transcript } from "../../src/lookups/transcript.ts";
import { eventOf, ports } from "./loopback.ts";

const fixtures = join(import.meta.dirname, "..", "fixtures");
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "beckon-transcript-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const stop = { event: "Stop" } as const;
const question = { event: "Notification", kind: "needs-you", notificationType: "elicitation_dialog" } as const;

describe("a transcript that is late", () => {
  test("is read once more where it lacks the answer of a turn", async () => {
    const path = join(home, "late.jsonl");
    copyFileSync(join(fixtures, "transcripts/droid-at-stop.jsonl"), path);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const answer = lines.findLastIndex((line) => line.includes("I look at the form first"));
    writeFileSync(path, `${lines.slice(0, answer).join("\n")}\n`);
    const waits: number[] = [];
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms);
      appendFileSync(path, `${lines.slice(answer).join("\n")}\n`);
    };
    const event = eventOf({ agent: "droid", transcriptPath: path, event: "Stop" });
    const signal = AbortSignal.timeout(5000);
    const clock = { ...ports.clock, wait };
    const facts = await transcript.find({ event, settings: undefined, ports: { ...ports, clock }, signal });
    expect(facts.summary).toBe("The login works again.");
    expect(waits).toEqual([250]);
  });

  test.each([
    { named: "is there a moment after a turn's end", folder: "session-state/s1", event: stop, waits: [250] },
    { named: "is there a moment after a question", folder: "session-state/s1", event: question, waits: [250] },
    { named: "may never be there", folder: "nowhere/s1", event: stop, waits: [] },
    { named: "is not needed", folder: "session-state/s1", event: { ...stop, lastMessage: "Reviewed." }, waits: [] },
  ])("one that $named", async ({ folder, event: fields, waits: expected }) => {
    const path = join(home, folder, "events.jsonl");
    mkdirSync(join(home, "session-state/s1"), { recursive: true });
    const record = (type: string, content: string) =>
      `${JSON.stringify({ type, timestamp: "2026-11-22T11:11:08Z", data: { content } })}\n`;
    const waits: number[] = [];
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms);
      writeFileSync(path, record("user.message", "Review the file") + record("assistant.message", "Reviewed."));
    };
    const event = eventOf({ agent: "copilot", transcriptPath: path, ...fields });
    const clock = { ...ports.clock, wait };
    const signal = AbortSignal.timeout(5000);
    const facts = await transcript.find({ event, settings: undefined, ports: { ...ports, clock }, signal });
    expect(facts.work === undefined).toBe(expected.length === 0);
    expect(waits).toEqual(expected);
  });
});
