import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { configCache, loadConfig } from "../../src/config/load.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { useFolder } from "../world/fresh-folder.ts";

const text = '{"notifiers":{"team":{"type":"slack","url":"https://hooks.example/x"}}}';
const defaults = await parseConfig(undefined);
const at = useFolder();

function write(name: string, content: string | Buffer): string {
  writeFileSync(at(name), content);
  return at(name);
}

/** Expects the defaults and one finding with this reason. */
function expectRefused({ findings, ...config }: Config, message: string): void {
  const hint = expect.stringMatching(/or else the defaults\.$/);
  expect(findings).toEqual([{ level: "error", path: "", message, hint }]);
  const { findings: _, ...rest } = defaults;
  expect(JSON.stringify(config)).toBe(JSON.stringify(rest));
}

test("without a file the defaults apply, without findings", async () => {
  expect(await loadConfig(at("none"))).toEqual(defaults);
});

test("a file with a byte-order mark, with Windows line ends or behind a link is read", async () => {
  const files = [text, `\ufeff${text}`, text.replaceAll("{", "{\r\n")].map((content, n) =>
    write(`${n}.jsonc`, content),
  );
  symlinkSync(at("0.jsonc"), at("link"));
  const check = async (file: string) => {
    const config = await loadConfig(file);
    expect([[...config.notifiers.keys()], config.findings]).toEqual([["team"], []]);
  };
  expect(await collectFailures([...files, at("link")], check)).toEqual([]);
});

test("lines are counted from the file's first, byte-order mark or not", async () => {
  const { findings } = await loadConfig(write("bad.jsonc", '\ufeff{"routs":[]}'));
  expect(findings).toEqual([expect.objectContaining({ path: "routs", line: 1, column: 2 })]);
});

test("a folder and a loop of links are not read", async () => {
  mkdirSync(at("folder"));
  expectRefused(await loadConfig(at("folder")), "not a regular file");
  symlinkSync(at("loop"), at("loop"));
  expectRefused(await loadConfig(at("loop")), "the file cannot be read (ELOOP)");
});

test.skipIf(process.platform === "win32")("a FIFO, an endless device and a socket are not read", async () => {
  execFileSync("mkfifo", [at("fifo")]);
  expectRefused(await loadConfig(at("fifo")), "not a regular file");
  expectRefused(await loadConfig("/dev/zero"), "not a regular file");
  const server = createServer().listen(at("socket"));
  await new Promise((resolve) => server.once("listening", resolve));
  expectRefused(await loadConfig(at("socket")), "the file cannot be read (ENXIO)");
  server.close();
});

test("a file of 1 MiB is read, and one byte more is not", async () => {
  const padded = (bytes: number) => Buffer.from(text.padEnd(bytes, " "));
  expect((await loadConfig(write("large", padded(1024 * 1024)))).findings).toEqual([]);
  expectRefused(await loadConfig(write("larger", padded(1024 * 1024 + 1))), "larger than 1 MiB");
});

test("unreadable JSON is reported: bytes, UTF-16, a torn text", async () => {
  const message = expect.stringMatching(/^not valid JSON/);
  for (const content of [Buffer.from([0, 1, 2, 0xff, 0xfe, 0x80]), Buffer.from(text, "utf16le"), text.slice(0, 30)]) {
    const { findings } = await loadConfig(write("broken", content));
    expect(findings[0]).toMatchObject({ level: "error", path: "", message });
  }
});

test("a cached configuration is reloaded exactly when its file changes", async () => {
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
