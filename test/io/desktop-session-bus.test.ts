import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ShownNotification } from "../../src/core/machine-ports.ts";
import { createSessionBusDesktop } from "../../src/io/desktop-session-bus.ts";
import { type RecordingDesktop, startRecordingDesktop } from "../world/session-bus.ts";

let folder: string;
let recording: RecordingDesktop;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "beckon-bus-"));
  recording = await startRecordingDesktop(folder);
});
afterEach(() => {
  recording.close();
  rmSync(folder, { recursive: true });
});

/** The port as beckon has it on this desktop, and how to show a notification with it. */
function desktopPort(env: NodeJS.ProcessEnv = { DBUS_SESSION_BUS_ADDRESS: recording.address }) {
  const port = createSessionBusDesktop(env);
  const { signal } = new AbortController();
  const texts = { title: "shop", body: "a < b", urgency: "normal", mask: (text: string) => text, signal } as const;
  return {
    notify: async (more: Look = {}) =>
      (await port.notify({ ...texts, ...more })) ?? expect.fail("not told what was shown"),
    close: (shown: ShownNotification) => port.close({ shown, signal }),
  };
}
type Look = { readonly icon?: string; readonly category?: string; readonly replaces?: ShownNotification };

async function callFor(look: Look) {
  await desktopPort().notify(look);
  return recording.calls.at(-1);
}
const replacedIds = () => recording.calls.map(([, replaced]) => replaced);

test("a notification has its icon as a URL, and its urgency and category as hints", async () => {
  expect(await callFor({ icon: "/icons/a b.png", category: "x-beckon.failed" })).toEqual([
    "beckon",
    0,
    "file:///icons/a%20b.png",
    "shop",
    "a &lt; b",
    [],
    [
      ["urgency", { signature: "y", value: 1 }],
      ["category", { signature: "s", value: "x-beckon.failed" }],
    ],
    -1,
  ]);
});

test("without either it has the urgency alone", async () => {
  const [, , icon, , , , hints] = (await callFor({})) ?? [];
  expect([icon, hints]).toEqual(["", [["urgency", { signature: "y", value: 1 }]]]);
});

test("a notification is known by its id, and by the service and bus that showed it", async () => {
  expect(await desktopPort().notify()).toEqual({ id: 1, owner: "0123abcd:1.7" });
});

test("a notification takes the place of one that the same service showed", async () => {
  const { notify } = desktopPort();
  const shown = await notify();
  await notify({ replaces: shown });
  expect(replacedIds()).toEqual([0, 1]);
});

test.each<[string, Partial<RecordingDesktop>]>([
  ["a service that was started anew", { name: ":1.9" }],
  ["a session that was started anew, with the same names", { busId: "4567ef" }],
  ["a service that has ended", { name: undefined }],
])("an id of %s is neither replaced nor closed: it may be a stranger's by now", async (_, life) => {
  const { notify, close } = desktopPort();
  const shown = await notify();
  Object.assign(recording, life);
  await close(shown);
  await notify({ replaces: shown });
  expect(recording.closed).toEqual([]);
  expect(replacedIds()).toEqual([0, 0]);
});

test("a service that does not run is started to show a notification, which is then its owner", async () => {
  recording.name = undefined;
  expect(await desktopPort().notify()).toEqual({ id: 1, owner: "0123abcd:1.8" });
});

test("what was shown is closed by its id", async () => {
  const { notify, close } = desktopPort();
  await close(await notify());
  expect(recording.closed).toEqual([1]);
});

test("closing what is closed already is no failure, also where the service calls the id invalid", async () => {
  recording.close();
  recording = await startRecordingDesktop(folder, true);
  const { notify, close } = desktopPort();
  await expect(close(await notify())).resolves.toBeUndefined();
  expect(recording.closed).toEqual([1]);
});

test.each([
  ["no session", {}],
  ["a session whose bus is gone", { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere/bus" }],
])("in %s nothing is left to close", async (_, env) => {
  const { close } = desktopPort({ XDG_RUNTIME_DIR: "/nowhere", ...env });
  await expect(close({ id: 1, owner: "0123abcd:1.7" })).resolves.toBeUndefined();
});
