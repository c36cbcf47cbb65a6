import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { run } from "../world/home.ts";
import { useHome } from "../world/use-home.ts";

const home = useHome();
let sentFile: string;
let compiled: string;
beforeEach(() => {
  sentFile = join(home.paths.root, "told.jsonl");
  home.writeConfig({ notifiers: { sentFile: { type: "file", path: sentFile } }, delivery: { linger: "0s" } });
  compiled = join(home.paths.app, "compiled");
});

/** Has a worker deliver one event. Returns the number of notifications. */
async function deliver(id: string): Promise<number> {
  const record = `{"v":1,"event":"Stop","agent":"claude"}\n{"hook_event_name":"Stop","session_id":"${id}"}\n{"end":0}\n`;
  writeFileSync(join(home.paths.spool, "new", `${id}.json`), record);
  const { exitCode, stderr } = await run(process.execPath, [home.paths.worker], "", { env: home.env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return readFileSync(sentFile, "utf8").trim().split("\n").length;
}

test("V8's code cache is kept in the user's folder and used by the next worker", async () => {
  const file = join(compiled, `worker-main-${process.version}-${process.arch}.bin`);
  expect(await deliver("one")).toBe(1);
  const { ino } = statSync(file);
  expect(await deliver("two")).toBe(2);
  expect(statSync(file).ino).toBe(ino); // V8 took it, or it would be replaced
  writeFileSync(file, "nothing that V8 has made");
  expect(await deliver("three")).toBe(3);
  expect(statSync(file).size).toBeGreaterThan(100_000);
  expect(readdirSync(compiled)).toHaveLength(1);
});

test("a worker whose code comes from a cache imports a user's module", async () => {
  const module = join(home.paths.root, "mine.mjs");
  const send = `appendFileSync(${JSON.stringify(sentFile)}, "sent\\n")`;
  writeFileSync(
    module,
    `import { appendFileSync } from "node:fs";\nawait 0;\nexport const notifier = { async send() { ${send}; } };\n`,
  );
  home.writeConfig({ notifiers: { mine: { type: "module", path: module } }, delivery: { linger: "0s" } });
  for (const [index, id] of ["one", "two", "three"].entries()) expect(await deliver(id)).toBe(index + 1);
});

test("a worker starts without a code cache if none can be written", async () => {
  writeFileSync(compiled, "");
  expect(await deliver("one")).toBe(1);
  expect(await deliver("two")).toBe(2);
});

test("a worker whose program was removed does not recreate its folder", async () => {
  home.writeConfig({ notifiers: { sentFile: { type: "file", path: sentFile } }, delivery: { linger: "300ms" } });
  await home.launch(["Stop", "--agent", "claude"], '{"hook_event_name":"Stop","session_id":"one"}');
  await home.until((journal) => journal.some(({ status }) => status === "sent"));
  rmSync(home.paths.app, { recursive: true });
  await expect.poll(() => home.workerPid(), { timeout: 5_000 }).toBeUndefined();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(existsSync(home.paths.app)).toBe(false);
});
