import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
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

/** Returns the desktop notifications, one a line. */
const shown = (): string => desktop.shown.join("\n");
const filed = (): string => {
  const file = join(world.paths.root, "events.jsonl");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};

/** Has a worker deliver a Claude event. */
async function fire(event: object): Promise<void> {
  world.fire({ session_id: "s", cwd: "/home/me/shop", ...event });
  const worker = world.start();
  await world.until(() => !existsSync(world.paths.lock));
  await worker;
}
const permission = { hook_event_name: "Notification", message: "May I run it?" };
const failure = { hook_event_name: "StopFailure", error: "server_error", error_details: "It broke." };

/** Settings with which a worker has nothing to withdraw and exits at once. */
const delivery = '"delivery": { "linger": "0s" }, "attention": { "withdraw": false, "wait": "0s" }';

/** Writes a configuration; two placeholders stand for a file notifier and its delivery options. */
function writeConfig(text: string): void {
  const events = `"events": { "type": "file", "path": "${world.paths.root}/events.jsonl" }`;
  writeFileSync(world.paths.config, text.replace("EVENTS", events).replace("DELIVERY", delivery), { mode: 0o600 });
}
const withRoutes = (routes: string) => `{ "notifiers": { EVENTS }, "routes": ${routes}, DELIVERY }`;

describe.each([
  ["a misspelt notifier type", '{ "notifiers": { "desk": { "type": "desktp" } }, DELIVERY }'],
  ["a notifier that is a text", '{ "notifiers": { "desk": "desktop" }, DELIVERY }'],
  ["notifiers in a list", '{ "notifiers": [{ "type": "desktop" }], DELIVERY }'],
  ["a wrong notifier setting", '{ "notifiers": { "team": { "type": "slack", "url": "x" } }, DELIVERY }'],
  ["a missing comma", '{ DELIVERY, "notifiers": { EVENTS } "routes": [{ "kinds": ["finished"], "to": ["events"] }] }'],
  ["a missing bracket", '{ DELIVERY, "notifiers": { EVENTS }, "routes": [{ "kinds": ["finished"], "to": ["events"] }'],
  ["a truncated file", '{ DELIVERY, "notifiers": { "phone": { "type": "nt'],
  ["a misspelt kind", withRoutes('[{ "kinds": ["needs_you", "faild"], "to": ["events"] }]')],
  ["a misspelt event", withRoutes('[{ "on": ["Notificaton", "Stopp"], "to": ["events"] }]')],
  ["an unknown condition", withRoutes('[{ "kind": ["failed"], "to": ["events"] }]')],
  ["routes that are an object", withRoutes('{ "to": ["events"] }')],
  ["a condition that is a text", withRoutes('[{ "on": "Stop", "to": ["events"] }]')],
  ["a route to a misspelt name", withRoutes('[{ "to": ["event"] }]')],
  ["a misspelt setting", '{ "notifers": { EVENTS }, "routes": [{ "to": ["events"] }], DELIVERY }'],
])("with %s", (_, config) => {
  test("a question and a failure ring on the desktop, and the error is shown once", async () => {
    writeConfig(config);
    await fire(permission);
    await fire(failure);
    expect(shown()).toContain("May I run it?");
    expect(shown()).toContain("It broke.");
    expect(shown().match(/The configuration has (?:an error|\d+ errors)/g)).toHaveLength(1);
    expect(world.journal()).toContainEqual(expect.objectContaining({ id: "config", status: "rejected" }));
    const accepted = world.journal().filter(({ status }) => status === "accepted");
    const reason = expect.stringContaining("error in the configuration");
    expect(accepted.map((line) => line.reason)).toEqual([reason, reason]);
  });
});

const good = `{ "notifiers": { EVENTS }, DELIVERY, "answers": { "agents": ["claude"], "projects": ["/**"] } }`;
test.each([
  ["a missing quote", (text: string) => text.replace('"events"', '"events')],
  ["text before the first brace", (text: string) => `x${text}`],
  ["a truncated file", (text: string) => text.slice(0, 30)],
  ["a misspelt notifier type", (text: string) => text.replace('"file"', '"fil"')],
  ["a file of more than 1 MiB", (text: string) => text + " ".repeat(1024 ** 2)],
])("after a good configuration, %s loses nothing: that one applies, without answers", async (_, damage) => {
  writeConfig(good);
  await fire(permission);
  writeConfig(damage(readFileSync(world.paths.config, "utf8")));
  await fire(failure);
  expect(filed()).toContain("It broke.");
  expect(filed()).toMatch(/The configuration has (?:an error|\d+ errors)/);
  expect(shown()).toBe("");
  expect((await loadConfig(world.paths.config)).answers).toBeUndefined();
  writeConfig(withRoutes("[]"));
  await fire({ ...failure, session_id: "other", error_details: "Routed nowhere." });
  expect(filed()).not.toContain("Routed nowhere.");
});

test("a fault that loses no urgent event leaves routing unchanged", async () => {
  const routes = '"routes": [{ "kinds": ["needs-you"], "to": ["events"] }]';
  writeConfig(`{ "notifiers": { EVENTS, "team": { "type": "slak" } }, ${routes}, DELIVERY }`);
  await fire(permission);
  await fire(failure);
  expect(filed()).toContain("May I run it?");
  expect(shown()).not.toContain("May I run it?");
  expect(shown()).not.toContain("It broke.");
});

test("a valid configuration without routes stays silent", async () => {
  writeConfig(withRoutes("[]"));
  await fire(permission);
  expect([shown(), filed()]).toEqual(["", ""]);
});
