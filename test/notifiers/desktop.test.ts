import { readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { kinds } from "../../src/core/vocabulary.ts";
import { desktop } from "../../src/notifiers/desktop.ts";
import { localCall } from "../world/local-call.ts";
import { recordArgs, useStubPrograms } from "../world/stub-programs.ts";

const stubs = useStubPrograms();
beforeEach(() => {
  stubs.add("notify-send", recordArgs);
});

const env = () => ({ ...stubs.env, DISPLAY: ":9" });

test.each([
  ["needs-you", "critical"],
  ["failed", "normal"],
  ["finished", "normal"],
  ["info", "low"],
] as const)("%s is %s", async (kind, level) => {
  await desktop.send(localCall(desktop.settings.parse({}), env(), { kind }));
  expect(stubs.readArgs("notify-send")).toContain(`--urgency=${level}`);
});

test("each kind has an existing icon, and a category", async () => {
  const looks = [];
  for (const kind of kinds) {
    await desktop.send(localCall(desktop.settings.parse({}), env(), { kind }));
    const args = stubs.readArgs("notify-send") ?? [];
    expect(args).toContain(`--category=x-beckon.${kind}`);
    const icon = args.find((arg) => arg.startsWith("--icon="))?.slice("--icon=".length) ?? "";
    looks.push(readFileSync(icon).toString("base64"));
  }
  expect(new Set(looks).size).toBe(kinds.length);
});

test("the urgency of one kind can be configured alone", async () => {
  const settings = desktop.settings.parse({ urgency: { "needs-you": "normal" } });
  await desktop.send(localCall(settings, env()));
  expect(stubs.readArgs("notify-send")).toContain("--urgency=normal");
  await desktop.send(localCall(settings, env(), { kind: "info" }));
  expect(stubs.readArgs("notify-send")).toContain("--urgency=low");
});

test.each([[{ urgency: { "needs-you": "urgent" } }], [{ urgency: { stop: "low" } }], [{ urgent: {} }]])(
  "%j is not a valid setting",
  (settings) => {
    expect(desktop.settings.safeParse(settings).success).toBe(false);
  },
);
