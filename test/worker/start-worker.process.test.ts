import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compiledWorker, createHome, type Home, run } from "../world/home.ts";

let home: Home;
let told: string;
let folder: string;
let compiled: string;
beforeEach(() => {
  home = createHome();
  told = join(home.paths.root, "told.jsonl");
  home.writeConfig({ notifiers: { told: { type: "file", path: told } }, delivery: { linger: "0s" } });
  compiled = join(home.paths.app, compiledWorker);
  folder = dirname(compiled);
  rmSync(compiled, { force: true }); // that of the test run
});
afterEach(() => home.remove());

/** Has a worker deliver one event, and returns how often it has been told. */
async function deliver(id: string): Promise<number> {
  const record = `{"v":1,"event":"Stop","agent":"claude"}\n{"hook_event_name":"Stop","session_id":"${id}"}\n{"end":0}\n`;
  writeFileSync(join(home.paths.spool, "new", `${id}.json`), record);
  const { exitCode, stderr } = await run(process.execPath, [home.paths.worker], "", { env: home.env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return readFileSync(told, "utf8").trim().split("\n").length;
}

/** Data with its checksum, as a worker keeps it. */
const kept = (data: Buffer): Buffer => Buffer.concat([createHash("sha256").update(data).digest(), data]);
const flipped = (bytes: Buffer, at: number): Buffer => bytes.fill((bytes[at] ?? 0) ^ 0xff, at, at + 1);

test("what V8 compiled is kept privately, and the next worker starts with it", async () => {
  expect(await deliver("one")).toBe(1);
  const { ino, mode, size } = statSync(compiled);
  expect(size).toBeGreaterThan(100_000);
  if (process.platform !== "win32") expect(mode & 0o777).toBe(0o600);
  expect(await deliver("two")).toBe(2);
  expect(statSync(compiled).ino).toBe(ino);
  expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
});

test.each([
  ["is cut short", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ["is empty", () => Buffer.alloc(0)],
  ["has one wrong byte", (bytes: Buffer) => flipped(bytes, bytes.length - 5_000)],
  ["is another Node's", (bytes: Buffer) => kept(flipped(Buffer.from(bytes.subarray(32)), 4))],
  ["is something else", () => kept(Buffer.from("nothing that V8 has made"))],
])("what is kept is made anew where it %s", async (_, damage) => {
  await deliver("one");
  const { ino } = statSync(compiled);
  writeFileSync(compiled, damage(readFileSync(compiled)));
  expect(await deliver("two")).toBe(2);
  expect(statSync(compiled).ino).not.toBe(ino);
  expect(await deliver("three")).toBe(3);
});

test("where it cannot be kept, workers start without it", async () => {
  mkdirSync(compiled);
  expect(await deliver("one")).toBe(1);
  expect(await deliver("two")).toBe(2);
  expect(readdirSync(folder).filter((name) => name.includes(".new"))).toEqual([]);
});

test("a worker whose program was removed does not bring its folder back", async () => {
  home.writeConfig({ notifiers: { told: { type: "file", path: told } }, delivery: { linger: "300ms" } });
  await home.launch(["Stop", "--agent", "claude"], '{"hook_event_name":"Stop","session_id":"one"}');
  await home.until((journal) => journal.some(({ status }) => status === "sent"));
  rmSync(home.paths.app, { recursive: true });
  await expect.poll(() => home.workerPid(), { timeout: 5_000 }).toBeUndefined();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(existsSync(home.paths.app)).toBe(false);
});

test("what an event may not need is not loaded when a worker starts", async () => {
  const link = `
    const { readFileSync } = require("node:fs");
    const main = require("node:vm").runInThisContext(readFileSync(process.argv[1], "latin1"));
    main(require, require("node:path").dirname(process.argv[1]), "file:///main.cjs");
    console.log(JSON.stringify(process.moduleLoadList));`;
  const { stdout, stderr } = await run(process.execPath, ["-e", link, join(folder, "main.cjs")], "", { env: home.env });
  expect(stderr).toBe("");
  const loaded: readonly string[] = JSON.parse(stdout);
  const slow = ["child_process", "dns", "http", "https", "net"].map((name) => `NativeModule ${name}`);
  expect(loaded.filter((name) => slow.includes(name))).toEqual([]);
});
