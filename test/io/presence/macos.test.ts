import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createExec } from "../../../src/io/exec.ts";
import { createPresence } from "../../../src/io/presence/presence.ts";
import { type StubPrograms, stubPrograms } from "../../world/stub-programs.ts";

// Nothing here has seen a Mac: the stubs print what the pages named in the source show.
let stubs: StubPrograms;
beforeEach(() => {
  stubs = stubPrograms();
});
afterEach(() => stubs.remove());

const ask = () =>
  createPresence(createExec(stubs.env, []), { env: stubs.env, platform: "darwin", limitMs: 5000 }).ask([process.pid]);

function addIoreg(idle: string, root: string): void {
  stubs.add("ioreg", `case "$*" in *HIDIdleTime*) echo '${idle}';; *Root*) echo '${root}';; esac`);
}

test("on macOS idling and the lock come from ioreg", async () => {
  addIoreg('  |   "HIDIdleTime" = 61500000000', '  "IOConsoleUsers" = ({"CGSSessionScreenIsLocked"=Yes})');
  expect(await ask()).toEqual({ idleMs: 61_500, isLocked: true });
});

test("on macOS a screen that is not said to be locked, and other words, tell nothing", async () => {
  addIoreg('"HIDIdleTime" = unknown', '"IOConsoleUsers" = ({})');
  expect(await ask()).toEqual({});
});

test.each([
  ["on", '{"data":[{"storeAssertionRecords":[{"assertionDetails":{}}]}]}', { isDoNotDisturb: true }],
  ["off", '{"data":[{"storeInvalidationRecords":[]}]}', { isDoNotDisturb: false }],
  ["not known", "{}", {}],
])("on macOS do-not-disturb is %s by the file of its assertions", async (_, text, expected) => {
  const folder = join(stubs.folder, "Library", "DoNotDisturb", "DB");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "Assertions.json"), text);
  expect(await ask()).toEqual(expected);
});

test("on Windows nothing is known, and nothing is run", async () => {
  const windows = createPresence(createExec(stubs.env, []), { env: stubs.env, platform: "win32" });
  expect(await windows.ask([process.pid])).toEqual({});
  expect(windows.typedAtMs([process.pid])).toBeUndefined();
});
