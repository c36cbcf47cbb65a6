import fs, { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { redactor } from "../../src/core/redactor.ts";
import { type Journal, openJournal } from "../../src/journal/journal.ts";
import { lostJournalFiles } from "../../src/journal/journal-files.ts";
import { identifyEvent, parseJournal } from "../../src/journal/journal-line.ts";
import { readJournal } from "../../src/journal/read-journal.ts";
import { eventAt } from "../world/arriving-events.ts";
import { useFolder } from "../world/fresh-folder.ts";

const november = Date.parse("2026-11-20T12:00:00.500Z");
const at = useFolder();
let folder: string;
let journal: Journal;
beforeEach(() => {
  folder = at("journal");
  journal = openJournal(folder, () => november);
});

const line = (id: string): string => JSON.stringify({ at: "2026-11-20T12:00:00.500Z", id, status: "sent" });
const readText = (file: string): string => readFileSync(join(folder, file), "utf8");

describe("a line", () => {
  test("is one JSON object with its time, in the private file of its month", () => {
    journal.write({ id: "a", status: "sent", notifier: "desk", attempt: 1 });
    const text = '{"at":"2026-11-20T12:00:00.500Z","id":"a","status":"sent","notifier":"desk","attempt":1}\n';
    expect(readText("2026-11.jsonl")).toBe(text);
    expect(fs.statSync(join(folder, "2026-11.jsonl")).mode & 0o777).toBe(0o600);
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  });

  test("goes into the file of its own month", () => {
    let nowMs = Date.parse("2026-11-30T23:59:59.999Z");
    const journal = openJournal(folder, () => nowMs);
    journal.write({ id: "a", status: "accepted" });
    nowMs += 1;
    journal.write({ id: "a", status: "sent" });
    expect(readdirSync(folder)).toEqual(["2026-11.jsonl", "2026-12.jsonl"]);
  });

  test.skipIf(process.platform === "win32")("is never written through a link, which is set aside", () => {
    const precious = at("precious");
    writeFileSync(precious, "mine\n");
    mkdirSync(folder);
    fs.symlinkSync(precious, join(folder, "2026-11.jsonl"));
    journal.write({ id: "a", status: "sent" });
    expect(readFileSync(precious, "utf8")).toBe("mine\n");
    expect(journal.readLines("a")).toHaveLength(1);
    expect(lostJournalFiles(folder)).toEqual([expect.stringMatching(/^2026-11\.jsonl\.aside-\d+$/)]);
  });

  test("preserves its fields, whatever their texts", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 100 });
    const property = fc.property(text, text, fc.nat(), (reason, project, tookMs) => {
      rmSync(folder, { recursive: true, force: true });
      const line = { id: "a", status: "failed", reason, project, tookMs } as const;
      journal.write(line);
      expect(readText("2026-11.jsonl").split("\n")).toHaveLength(2);
      expect(journal.readLines("a")).toEqual([{ at: new Date(november).toISOString(), ...line }]);
    });
    fc.assert(property, { numRuns: 100 });
  });

  test("has no field longer than 1,024 characters, and no half characters", () => {
    journal.write({ id: "a", status: "failed", reason: `a${"😀".repeat(5_000)}` });
    const [line] = journal.readLines("a");
    expect(line?.reason?.length).toBeLessThanOrEqual(1024);
    expect(line?.reason).toMatch(/^a(😀)+… \(\+\d{4} characters\)$/u);
  });

  test("that cannot be written throws nothing", () => {
    writeFileSync(folder, "a file where the folder should be");
    expect(() => journal.write({ id: "a", status: "sent" })).not.toThrow();
  });

  test("that does not fit is written with the next one, and readable before", () => {
    mkdirSync(folder);
    const file = join(folder, "2026-11.jsonl");
    mkdirSync(file); // as good as a full disk
    journal.write({ id: "a", status: "accepted" });
    journal.write({ id: "a", status: "sent" });
    expect(journal.readLines("a").map(({ status }) => status)).toEqual(["accepted", "sent"]);
    rmSync(file, { recursive: true });
    journal.write({ id: "b", status: "sent" });
    const lines = readJournal(folder, 1).map(({ id, status }) => `${id} ${status}`);
    expect(lines).toEqual(["a accepted", "a sent", "b sent"]);
    expect(journal.readLines("a")).toHaveLength(2);
  });

  test("begins on a new line, whatever a full disk left of the last one", () => {
    mkdirSync(folder);
    writeFileSync(join(folder, "2026-11.jsonl"), '{"at":"2026-11-2');
    journal.write({ id: "a", status: "sent" });
    expect(readText("2026-11.jsonl").split("\n")).toHaveLength(3);
    expect(journal.readLines("a")).toHaveLength(1);
  });

  test("is written again once the folder is back", () => {
    journal.write({ id: "a", status: "accepted" });
    rmSync(folder, { recursive: true });
    expect(journal.readLines("a")).toEqual([]);
    journal.write({ id: "a", status: "sent" });
    expect(journal.readLines("a")).toHaveLength(1);
  });
});

describe("a secret is not in any line", () => {
  const secrets = ['pa"ss\\word', "two\nlines here", "ключ-секрет", "https://h/T0/B0/xyz", "a&b=c d%"];

  test.each(secrets)("%j", (secret) => {
    const journal = openJournal(folder, () => november, redactor(secrets));
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")];
    for (const form of forms)
      journal.write({ id: "a", status: "failed", reason: `before ${form} after`, project: form });
    const text = readText("2026-11.jsonl");
    for (const form of [...forms, JSON.stringify(secret).slice(1, -1)]) expect(text).not.toContain(form);
    for (const { reason } of journal.readLines("a")) expect(reason).toMatch(/^before \[secret\]=* after$/);
  });

  test("even partly, if a field is cut", () => {
    const journal = openJournal(folder, () => november, redactor(["canary-canary-canary"]));
    journal.write({ id: "a", status: "failed", reason: `${"x".repeat(1_010)}canary-canary-canary` });
    expect(readText("2026-11.jsonl")).not.toContain("canary");
  });
});

describe("reading", () => {
  test("skips foreign lines", () => {
    const text = `${line("a")}\n{"id":"b","sta\n\nnull\n5\n"x"\n{"at":"2026","id":7,"status":"sent"}\n${line("c")}`;
    expect(parseJournal(text).map(({ id }) => id)).toEqual(["a", "c"]);
  });

  test("keeps only the known fields, in a fixed order", () => {
    const whole = { status: "sent", extra: 1, id: "a", reason: "r", at: "2026-11-20T12:00:00.500Z" };
    const known = '{"at":"2026-11-20T12:00:00.500Z","id":"a","status":"sent","reason":"r"}';
    expect(JSON.stringify(parseJournal(JSON.stringify(whole)))).toBe(`[${known}]`);
  });

  test("never throws", () => {
    const json = fc.array(fc.json()).map((lines) => lines.join("\n"));
    const check = (text: string) => parseJournal(text).every((line) => typeof line === "object");
    fc.assert(fc.property(fc.oneof(fc.string({ unit: "binary" }), json), check), { numRuns: 200 });
  });

  test("reads the files of the newest months, oldest first, and no other files", () => {
    mkdirSync(folder);
    for (const month of ["2026-09", "2026-11", "2026-10", "2025-12"]) {
      writeFileSync(join(folder, `${month}.jsonl`), `${line(month)}\n`);
    }
    writeFileSync(join(folder, "notes.txt"), `${line("notes")}\n`);
    expect(readJournal(folder, 2).map(({ id }) => id)).toEqual(["2026-10", "2026-11"]);
    expect(readJournal(folder, 100)).toHaveLength(4);
  });
});

test("every line about an event repeats its identity and place, and none of its text", () => {
  const { sessionId: _, ...event } = eventAt("Stop", 0, { id: "a", agent: "x", kind: "info", project: "p" });
  const fields = identifyEvent({ ...event, sessionId: "s", message: "m", cwd: "/c", lastMessage: "l" });
  expect(fields).toEqual({ id: "a", event: "Stop", agent: "x", kind: "info", sessionId: "s", project: "p" });
  expect(identifyEvent(event)).not.toHaveProperty("sessionId");
});

test("pruning keeps the newest twelve months and touches no other file", () => {
  mkdirSync(folder, { recursive: true });
  const lastYear = Array.from({ length: 11 }, (_, index) => `2026-${String(index + 1).padStart(2, "0")}`);
  const months = ["2025-01", "2025-11", "2025-12", ...lastYear];
  for (const name of [...months.map((month) => `${month}.jsonl`), "notes.txt"]) writeFileSync(join(folder, name), "");
  openJournal(folder, () => november).prune();
  expect(readdirSync(folder).sort()).toEqual([...months.slice(2).map((month) => `${month}.jsonl`), "notes.txt"]);
});
