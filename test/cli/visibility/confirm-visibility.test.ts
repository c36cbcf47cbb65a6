import { readFileSync, writeFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { runTest } from "../../../src/cli/commands/test.ts";
import { seenAt } from "../../../src/cli/visibility/confirm-visibility.ts";
import { createDesktop } from "../../../src/io/desktop.ts";
import { createExec } from "../../../src/io/exec.ts";
import { makeContext, useCliHome } from "../../world/cli-home.ts";
import { runChecks } from "../../world/doctor-home.ts";
import { localPorts } from "../../world/local-ports.ts";
import { recordArgs, useStubPrograms } from "../../world/stub-programs.ts";

const home = useCliHome();
const stubs = useStubPrograms();
let printed: string[];
let asked: string[];
beforeEach(() => {
  for (const program of ["terminal-notifier", "osascript"]) stubs.add(program, recordArgs);
  [printed, asked] = [[], []];
  home.config({ notifiers: { desk: { type: "desktop" } } });
});

/** Creates the ports of a Mac that has both programs. */
function macPorts() {
  const desktop = createDesktop(createExec(stubs.env, []), { env: stubs.env, platform: "darwin", vendor: "/nowhere" });
  return { ...localPorts(), desktop };
}

/** Runs `beckon test desk` on that Mac. The user answers in turn if they saw the notification, and how to go on. */
async function testDesk(...answers: readonly string[]): Promise<string> {
  const rest = [...answers];
  const next = (question: string) => {
    asked.push(question);
    return rest.shift();
  };
  const dialog = {
    confirm: async (question: string) => next(question) === "yes",
    pressKey: async (question: string, choices: readonly { readonly value: string }[]) => {
      const key = next(question);
      return choices.find(({ value }) => value === key)?.value ?? "l";
    },
  };
  const context = { ...makeContext(home), print: (text: string) => void printed.push(text) };
  expect(await runTest(["desk"], {}, context, { dialog, ports: macPorts() })).toBe(0);
  expect(rest).toEqual([]);
  return printed.join("\n");
}
const config = () => readFileSync(home.paths.config, "utf8");
const deskInDoctor = async () => {
  const { results } = await runChecks(home, { ports: macPorts(), agents: [] });
  return results.find(({ name }) => name === "notifier desk");
};

test("a confirmed sight is remembered, and only then does doctor report ok", async () => {
  expect(await deskInDoctor()).toMatchObject({ status: "warn", cure: expect.stringContaining("beckon test desk") });
  const before = config();
  await testDesk("yes");
  expect(asked).toEqual(["Did you just see a notification from beckon (desk)?"]);
  expect(config()).toBe(before);
  expect(await deskInDoctor()).toMatchObject({
    status: "ok",
    detail: expect.stringContaining("you confirmed a notification from"),
  });
});

test("an unseen message is shown by the next program, and the visible one is configured", async () => {
  const screen = await testDesk("no", "t", "yes");
  expect(asked[1]).toBe("What do you want to do?");
  expect(screen).toMatch(/1\. Open System Settings > Notifications > terminal-notifier, turn on/);
  expect(stubs.readArgs("osascript")).toBeDefined();
  expect(JSON.parse(config())).toEqual({ notifiers: { desk: { type: "desktop", driver: "osascript" } } });
  expect(seenAt(home.paths, "desk", "osascript")).toBeDefined();
  expect(await deskInDoctor()).toMatchObject({ status: "ok", detail: expect.stringContaining("Script Editor") });
});

test("a program is shown again once its switches are set, and stays the usual one", async () => {
  await testDesk("no", "a", "yes");
  expect(stubs.readArgs("osascript")).toBeUndefined();
  expect(config()).not.toContain("driver");
  expect(seenAt(home.paths, "desk", "terminal-notifier")).toBeDefined();
});

test("a message seen once and not now no longer counts as seen", async () => {
  await testDesk("yes");
  expect(await testDesk("no", "l")).toContain("To try again: beckon test desk");
  expect(seenAt(home.paths, "desk", "terminal-notifier")).toBeUndefined();
  expect(await deskInDoctor()).toMatchObject({ status: "warn" });
});

test("after the last program there is no next one, and Ctrl-C leaves it unchanged", async () => {
  await testDesk("no", "t", "no", "t");
  expect(config()).not.toContain("driver");
});

test("comments stay, a driver is replaced, and without notifiers the default ones are written", async () => {
  writeFileSync(
    home.paths.config,
    '{\n  // mine\n  "notifiers": { "desk": { "type": "desktop", "driver": "terminal-notifier" } }\n}\n',
  );
  await testDesk("no", "t", "yes");
  expect(config()).toMatch(/\/\/ mine/);
  expect(config()).toMatch(/"driver": "osascript"/);
  writeFileSync(home.paths.config, "{\n  // nothing\n}\n");
  await testDesk("no", "t", "yes");
  expect(config()).toMatch(/\/\/ nothing/);
  const written = JSON.parse(config().replace("// nothing", ""));
  expect(written).toEqual({ notifiers: { desk: { type: "desktop", driver: "osascript" }, chime: { type: "sound" } } });
});

test("a desktop that reports its own visibility raises no question", async () => {
  stubs.add("notify-send", recordArgs);
  const env = { ...stubs.env, DISPLAY: ":987", XDG_RUNTIME_DIR: stubs.folder };
  const desktop = createDesktop(createExec(env, []), { env, platform: "linux" });
  const dialog = { confirm: async () => expect.fail("asked"), pressKey: async () => expect.fail("asked") };
  const context = { ...makeContext(home), print() {} };
  await runTest(["desk"], {}, context, { dialog, ports: { ...localPorts(), desktop } });
  expect(stubs.readArgs("notify-send")).toBeDefined();
});
