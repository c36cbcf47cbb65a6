import { expect, test } from "vitest";
import { untrustedEvents } from "../../src/agents/codex.ts";

const path = "/home/me/.codex/hooks.json";
const isBeckonCommand = (command: string): boolean => command.startsWith("~/.beckon/hook ");
const ours = (event: string) => ({ type: "command", command: `~/.beckon/hook ${event} --agent codex || :` });
const other = { type: "command", command: "say done" };
const file = {
  hooks: {
    ...{ Stop: [{ hooks: [other] }, { hooks: [other, ours("Stop")] }], SessionStart: [{ hooks: [other] }] },
    PermissionRequest: [{ hooks: [ours("PermissionRequest")] }],
  },
};
const trusting = (...keys: string[]) => ({
  hooks: { state: Object.fromEntries(keys.map((key) => [`${path}:${key}`, { trusted_hash: "sha256:ab" }])) },
});

test.each([
  ["no hook is trusted", {}, ["Stop", "PermissionRequest"]],
  ["there is no configuration", undefined, ["Stop", "PermissionRequest"]],
  ["all of beckon's hooks are trusted", trusting("stop:1:1", "permission_request:0:0"), []],
  ["another hook of an event is trusted", trusting("stop:0:0", "permission_request:0:0"), ["Stop"]],
  ["the hook was trusted at another position", trusting("stop:0:1", "permission_request:0:0"), ["Stop"]],
  ["the state has another shape", { hooks: { state: ["x"] } }, ["Stop", "PermissionRequest"]],
])("untrusted events if %s", (_, config, events) => {
  expect(untrustedEvents(file, config, path, isBeckonCommand)).toEqual(events);
});

test("a hooks file of another shape has no untrusted event", () => {
  const files = [undefined, null, 7, { hooks: [] }, { hooks: { Stop: {} } }, { hooks: { Stop: [7, { hooks: 7 }] } }];
  expect(files.map((odd) => untrustedEvents(odd, {}, path, isBeckonCommand))).toEqual(files.map(() => []));
});
