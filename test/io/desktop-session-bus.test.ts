import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSessionBusDesktop } from "../../src/io/desktop-session-bus.ts";
import { type RecordingDesktop, startRecordingDesktop } from "../helpers/session-bus.ts";

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

async function callFor(look: { readonly icon?: string; readonly category?: string }) {
  const desktop = createSessionBusDesktop({ DBUS_SESSION_BUS_ADDRESS: recording.address });
  const { signal } = new AbortController();
  await desktop.notify({ title: "shop", body: "a < b", urgency: "normal", mask: (text) => text, signal, ...look });
  return recording.calls.at(-1);
}

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
