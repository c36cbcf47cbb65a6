import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type RecordingDesktop, startRecordingDesktop } from "../world/session-bus.ts";
import { WorkerWorld } from "../world/worker-world.ts";

let world: WorkerWorld;
let desktop: RecordingDesktop;
beforeEach(async () => {
  world = new WorkerWorld();
  world.answerToAll = {};
  desktop = await startRecordingDesktop(world.paths.root);
  vi.stubEnv("DBUS_SESSION_BUS_ADDRESS", desktop.address);
});
afterEach(async () => {
  desktop.close();
  await world.remove();
  vi.unstubAllEnvs();
});

/** What the desktop was told, a notification a line or more. */
const shown = (): string => desktop.shown.join("\n");
const filed = (): string => {
  const file = join(world.paths.root, "events.jsonl");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};

/** Has a worker deliver an event of Claude's. */
async function fire(event: object): Promise<void> {
  world.fire({ session_id: "s", cwd: "/home/me/shop", ...event });
  const worker = world.start();
  await world.until(() => !existsSync(world.paths.lock));
  await worker;
}
const permission = { hook_event_name: "Notification", message: "May I run it?" };
const failure = { hook_event_name: "StopFailure", error: "server_error", error_details: "It broke." };

const events = () => `"events": { "type": "file", "path": "${world.paths.root}/events.jsonl" }`;
/** A worker that takes nothing back leaves at once. */
const delivery = '"delivery": { "linger": "0s" }, "attention": { "withdraw": false, "wait": "0s" }';

describe.each<[string, () => string]>([
  ["a notifier of a misspelt type", () => `{ "notifiers": { "desk": { "type": "desktp" } }, ${delivery} }`],
  ["a notifier that is no object", () => `{ "notifiers": { "desk": "desktop" }, ${delivery} }`],
  ["notifiers in a list", () => `{ "notifiers": [{ "type": "desktop" }], ${delivery} }`],
  [
    "a notifier with a wrong setting",
    () => `{ "notifiers": { "team": { "type": "slack", "url": "x" } }, ${delivery} }`,
  ],
  [
    "a lost comma",
    () => `{ ${delivery}, "notifiers": { ${events()} } "routes": [{ "kinds": ["finished"], "to": ["events"] }] }`,
  ],
  [
    "a lost bracket",
    () => `{ ${delivery}, "notifiers": { ${events()} }, "routes": [{ "kinds": ["finished"], "to": ["events"] }`,
  ],
  ["a file that is cut off", () => `{ ${delivery}, "notifiers": { "phone": { "type": "nt`],
  [
    "a misspelt kind",
    () =>
      `{ "notifiers": { ${events()} }, "routes": [{ "kinds": ["needs_you", "faild"], "to": ["events"] }], ${delivery} }`,
  ],
  [
    "a misspelt event",
    () =>
      `{ "notifiers": { ${events()} }, "routes": [{ "on": ["Notificaton", "Stopp"], "to": ["events"] }], ${delivery} }`,
  ],
  [
    "an unknown condition",
    () => `{ "notifiers": { ${events()} }, "routes": [{ "kind": ["failed"], "to": ["events"] }], ${delivery} }`,
  ],
  ["a route that is no list", () => `{ "notifiers": { ${events()} }, "routes": { "to": ["events"] }, ${delivery} }`],
  [
    "a condition that is no list",
    () => `{ "notifiers": { ${events()} }, "routes": [{ "on": "Stop", "to": ["events"] }], ${delivery} }`,
  ],
  [
    "a route to a misspelt name",
    () => `{ "notifiers": { ${events()} }, "routes": [{ "to": ["event"] }], ${delivery} }`,
  ],
  [
    "a misspelt setting for the routes' notifiers",
    () => `{ "notifers": { ${events()} }, "routes": [{ "to": ["events"] }], ${delivery} }`,
  ],
])("with %s", (_, config) => {
  test("a question and a failure ring on the desktop, and the error is told once", async () => {
    writeFileSync(world.paths.config, config(), { mode: 0o600 });
    await fire(permission);
    await fire(failure);
    expect(shown()).toContain("May I run it?");
    expect(shown()).toContain("It broke.");
    expect(shown().match(/The configuration has (?:an error|\d+ errors)/g)).toHaveLength(1);
    expect(world.journal()).toContainEqual(expect.objectContaining({ id: "config", status: "rejected" }));
    const accepted = world.journal().filter(({ status }) => status === "accepted");
    expect(accepted.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("error in the configuration"),
      expect.stringContaining("error in the configuration"),
    ]);
  });
});

test("a fault that takes no urgent event away changes nothing: who is not told by the routes is not told", async () => {
  const ntfy = '"team": { "type": "slak" }';
  const routes = '"routes": [{ "kinds": ["needs-you"], "to": ["events"] }]';
  writeFileSync(world.paths.config, `{ "notifiers": { ${events()}, ${ntfy} }, ${routes}, ${delivery} }`, {
    mode: 0o600,
  });
  await fire(permission);
  await fire(failure);
  expect(filed()).toContain("May I run it?");
  expect(shown()).not.toContain("May I run it?");
  expect(shown()).not.toContain("It broke.");
});

test("a configuration without errors that wants silence is silent", async () => {
  writeFileSync(world.paths.config, `{ "notifiers": { ${events()} }, "routes": [], ${delivery} }`, { mode: 0o600 });
  await fire(permission);
  expect([shown(), filed()]).toEqual(["", ""]);
});
