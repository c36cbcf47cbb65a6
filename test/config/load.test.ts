import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { configCache, loadConfig } from "../../src/config/load.ts";
import { parseConfig } from "../../src/config/parse.ts";

const text = '{"notifiers":{"team":{"type":"slack","url":"https://hooks.example/x"}}}';
let folder: string;
let defaults: Config;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "beckon-load-"));
  defaults = await parseConfig(undefined);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);

function write(name: string, content: string | Buffer): string {
  writeFileSync(at(name), content);
  return at(name);
}

/** Expects that the defaults hold and that one finding says why. */
function expectRefused({ findings, ...config }: Config, message: string): void {
  expect(findings).toEqual([{ level: "error", path: "", message, hint: "The defaults hold until then." }]);
  const { findings: _, ...rest } = defaults;
  expect(JSON.stringify(config)).toBe(JSON.stringify(rest));
}

test("without a file the defaults hold, and nothing is wrong", async () => {
  expect(await loadConfig(at("none"))).toEqual(defaults);
});

test.each([
  ["as it is", text],
  ["with a byte-order mark", `\ufeff${text}`],
  ["with Windows line ends", text.replaceAll("{", "{\r\n")],
])("a file is read %s", async (_, content) => {
  const config = await loadConfig(write("good.jsonc", content));
  expect([...config.notifiers.keys()]).toEqual(["team"]);
  expect(config.findings).toEqual([]);
});

test("a link to a file is followed", async () => {
  symlinkSync(write("target.jsonc", text), at("link"));
  expect([...(await loadConfig(at("link"))).notifiers.keys()]).toEqual(["team"]);
});

test("a line is counted from the file's first, byte-order mark or not", async () => {
  const { findings } = await loadConfig(write("bad.jsonc", '\ufeff{"routs":[]}'));
  expect(findings).toEqual([expect.objectContaining({ path: "routs", line: 1, column: 2 })]);
});

describe("what is not a regular file of at most 1 MiB is not read", () => {
  test("a folder", async () => {
    mkdirSync(at("folder"));
    expectRefused(await loadConfig(at("folder")), "not a regular file");
  });

  test.skipIf(process.platform === "win32")("a FIFO that nobody writes to", async () => {
    execFileSync("mkfifo", [at("fifo")]);
    expectRefused(await loadConfig(at("fifo")), "not a regular file");
  });

  test.skipIf(process.platform === "win32")("a device without an end", async () => {
    expectRefused(await loadConfig("/dev/zero"), "not a regular file");
  });

  test.skipIf(process.platform === "win32")("a socket", async () => {
    const server = createServer().listen(at("socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    expectRefused(await loadConfig(at("socket")), "the file cannot be read (ENXIO)");
    server.close();
  });

  test("a loop of links", async () => {
    symlinkSync(at("loop"), at("loop"));
    expectRefused(await loadConfig(at("loop")), "the file cannot be read (ELOOP)");
  });

  test("a file of one byte more than 1 MiB", async () => {
    const padded = (bytes: number) => Buffer.from(text.padEnd(bytes, " "));
    expect((await loadConfig(write("large", padded(1024 * 1024)))).findings).toEqual([]);
    expectRefused(await loadConfig(write("larger", padded(1024 * 1024 + 1))), "larger than 1 MiB");
  });
});

test.each([
  ["binary", Buffer.from([0, 1, 2, 0xff, 0xfe, 0x80])],
  ["UTF-16", Buffer.from(text, "utf16le")],
  ["a torn text", text.slice(0, 30)],
])("what cannot be read as JSON is reported: %s", async (_, content) => {
  const { findings } = await loadConfig(write("broken", content));
  expect(findings[0]).toMatchObject({ level: "error", path: "", message: expect.stringMatching(/^not valid JSON/) });
});

test("a cached configuration is read again once its file is another one, and only then", async () => {
  const languages: string[] = [];
  const config = configCache(at("cached"), ({ language }) => languages.push(language));
  expect((await config()).language).toBe("en");
  write("cached", '{"language":"de"}');
  expect((await config()).language).toBe("de");
  expect(await config()).toBe(await config());
  rmSync(at("cached"));
  expect((await config()).language).toBe("en");
  expect(languages).toEqual(["en", "de", "en"]);
});
