import { execFileSync } from "node:child_process";
import fs, { chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFiles } from "../../src/io/files.ts";
import { useFolder } from "../world/fresh-folder.ts";
import { listenAt } from "../world/listen-at.ts";

const files = createFiles();
const isRoot = process.getuid?.() === 0;
const isWindows = process.platform === "win32";

const at = useFolder();

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(at(name), content);
  return at(name);
}

describe("readTail", () => {
  test.each([
    ["a short file whole, including a half-written last line", "one\ntwo\nthr", 100, "one\ntwo\nthr"],
    ["from the first whole line on", "one\ntwo\nthree\n", 8, "three\n"],
    ["a first line that happens to be whole", "one\ntwo\nthree\n", 10, "two\nthree\n"],
    ["nothing of a line longer than the limit", "0123456789\n".slice(0, 10), 5, ""],
    ["an empty file", "", 10, ""],
    ["a file of exactly the limit", "one\ntwo\n", 8, "one\ntwo\n"],
  ])("reads %s", async (_, content, maxBytes, expected) => {
    expect(await files.readTail(write("tail", content), maxBytes)).toBe(expected);
  });

  test("gives replacement characters for bytes that are not UTF-8", async () => {
    expect(await files.readTail(write("bytes", Uint8Array.of(0x61, 0xff, 0xfe, 0x62)), 10)).toBe("a\ufffd\ufffdb");
  });

  test("gives the whole last lines for every content and limit", async () => {
    const content = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "👍"), maxLength: 5 }), { maxLength: 8 });
    const check = async (lines: string[], maxBytes: number): Promise<void> => {
      const text = lines.map((line) => `${line}\n`).join("");
      const tail = (await files.readTail(write("any", text), maxBytes)) ?? "not read";
      expect(text.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(maxBytes);
      const before = text.slice(0, text.length - tail.length);
      expect(before === "" || before.endsWith("\n")).toBe(true);
      // Every whole line that fits is included.
      const next = `${before.split("\n").at(-2) ?? ""}\n`;
      if (before !== "") expect(Buffer.byteLength(next + tail)).toBeGreaterThan(maxBytes);
    };
    await fc.assert(fc.asyncProperty(content, fc.nat(60), check), { numRuns: 200 });
  });
});

describe("a long line", () => {
  test.each([100_000, 700_000, 3_000_000])("of %i bytes is read whole, backwards and forwards", async (bytes) => {
    const long = { id: "long", text: 'é\\"\n'.repeat(bytes / 8), short: "s" };
    const after = '{"id":"after"}\n'.repeat(3);
    const path = write("long", `{"id":"before"}\n${JSON.stringify(long)}\n${after}`);
    const parse = (found = "") =>
      found
        .trimEnd()
        .split("\n")
        .map((json) => JSON.parse(json));
    const tail = parse(await files.readTail(path, 128 * 1024));
    expect(tail).toEqual([{ id: "before" }, long, ...Array(3).fill({ id: "after" })]);
    expect(parse((await files.readFrom(path, 3, 4_000_000))?.text)).toEqual(tail);
  });

  test("of more than 8 MiB is left out", async () => {
    const path = write("huge", `{"id":1}\n"${"x".repeat(9 * 1024 * 1024)}"\n{"id":2}\n`);
    expect(await files.readTail(path, 1_000)).toBe('{"id":2}\n');
  });

  test("is read once it is whole", async () => {
    const line = JSON.stringify({ text: "x".repeat(600_000) });
    const path = write("growing", `{"id":1}\n${line.slice(0, 400_000)}`);
    expect(await files.readFrom(path, 9, 1_000)).toEqual({ text: "", end: 9 });
    fs.appendFileSync(path, `${line.slice(400_000)}\n{"id":2}`);
    expect(await files.readFrom(path, 9, 1_000)).toMatchObject({ end: 10 + Buffer.byteLength(line) });
  });
});

test.each([
  ["whole lines from the beginning of the line at the offset on", 5, 100, { text: "two\nthree\n", end: 14 }],
  ["nothing of a half-written line", 14, 100, { text: "", end: 14 }],
  ["a file that has become shorter from its beginning", 50, 100, { text: "one\ntwo\nthree\n", end: 14 }],
])("readFrom gives %s", async (_, offset, maxBytes, expected) => {
  expect(await files.readFrom(write("from", "one\ntwo\nthree\nfo"), offset, maxBytes)).toEqual(expected);
});

test.each([
  ["a short file whole", "one\ntwo", 100, "one\ntwo"],
  ["up to the last whole line", "one\ntwo\nthree\n", 9, "one\ntwo\n"],
  ["nothing of a line longer than the limit", "0123456789\n", 5, ""],
  ["an empty file", "", 10, ""],
])("readHead reads %s", async (_, content, maxBytes, expected) => {
  expect(await files.readHead(write("head", content), maxBytes)).toBe(expected);
});

describe.each(["readTail", "readHead"] as const)("%s", (method) => {
  const read = (path: string) => files[method](path, 1000);

  test("gives undefined if there is no file", async () => {
    const throughFile = join(write("file", "x"), "below");
    const paths = [at("missing"), at(), throughFile, `${at("a")}\0b`, "", at("x".repeat(5000))];
    for (const path of paths) expect(await read(path), path.slice(0, 200)).toBeUndefined();
  });

  test("reads no more of a huge file than requested", async () => {
    const path = write("huge", "");
    fs.truncateSync(path, 2 ** 31);
    expect(await read(path)).toBe("");
  });

  test.skipIf(isWindows)("reads no FIFO, device, socket or link to itself, and does not wait", async () => {
    execFileSync("mkfifo", [at("fifo")]);
    symlinkSync("/dev/zero", at("zero"));
    let connections = 0;
    await listenAt(at("socket"), () => (connections += 1));
    symlinkSync(at("b"), at("a"));
    symlinkSync(at("a"), at("b"));
    for (const path of ["/dev/zero", ...["fifo", "zero", "socket", "a"].map((name) => at(name))])
      expect(await read(path), path).toBeUndefined();
    expect(connections).toBe(0);
  });

  test.skipIf(isWindows)("follows a user's link to the user's file", async () => {
    symlinkSync(write("target", "text\n"), at("link"));
    expect(await read(at("link"))).toBe("text\n");
    mkdirSync(at("folder"));
    symlinkSync(at("folder"), at("folder-link"));
    write(join("folder", "inner"), "inner\n");
    expect(await read(at(join("folder-link", "inner")))).toBe("inner\n");
  });

  test.skipIf(!isRoot)("reads no file and follows no link of another user's", async () => {
    const foreign = write("foreign", "text\n");
    chownSync(foreign, 65534, 65534);
    symlinkSync(foreign, at("to-foreign"));
    symlinkSync(write("own", "text\n"), at("foreign-link"));
    fs.lchownSync(at("foreign-link"), 65534, 65534);
    for (const name of ["foreign", "to-foreign", "foreign-link"]) expect(await read(at(name)), name).toBeUndefined();
  });

  test.skipIf(isRoot || isWindows)("gives undefined for an unreadable file", async () => {
    const path = write("closed", "text\n");
    fs.chmodSync(path, 0);
    expect(await read(path)).toBeUndefined();
  });
});

describe("appendLine", () => {
  test("appends simultaneous lines in sequence, and rotates once if several find the file full", async () => {
    const lines = Array.from({ length: 25 }, (_, index) => `line ${String(index).padStart(4, "0")}`);
    const limits = { maxBytes: 10 * 10, kept: 9 };
    await Promise.all(lines.map((line) => files.appendLine(at("lines.jsonl"), line, limits)));
    const parts = ["lines.jsonl.2", "lines.jsonl.1", "lines.jsonl"].map((name) => readFileSync(at(name), "utf8"));
    const expected = [lines.slice(0, 10), lines.slice(10, 20), lines.slice(20)];
    expect(parts).toEqual(expected.map((part) => `${part.join("\n")}\n`));
    expect(fs.existsSync(at("lines.jsonl.3"))).toBe(false);
  });

  test("continues after a line that could not be written", async () => {
    const [fifo, path] = [at("fifo"), at("beside.jsonl")];
    execFileSync("mkfifo", [fifo]);
    const whole = { maxBytes: 1_000, kept: 1 };
    const [refused] = await Promise.allSettled([
      files.appendLine(fifo, "one", whole),
      files.appendLine(fifo, "two", whole).catch(() => files.appendLine(path, "three", whole)),
    ]);
    expect(refused.status).toBe("rejected");
    expect(readFileSync(path, "utf8")).toBe("three\n");
  });
});
