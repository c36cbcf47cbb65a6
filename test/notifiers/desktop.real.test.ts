import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Receipt } from "../../src/core/notifier-call.ts";
import { omitUndefined } from "../../src/core/omit-undefined.ts";
import { createExec } from "../../src/io/exec.ts";
import { desktop } from "../../src/notifiers/desktop.ts";
import { clean, cleanLine } from "../../src/text/clean.ts";
import { cut } from "../../src/text/cut.ts";
import { startDesktopSession, startSessionBus } from "../world/desktop-session.ts";
import { localCall } from "../world/local-call.ts";
import { recordArgs, stubPrograms } from "../world/stub-programs.ts";
import { useShared } from "../world/use.ts";
import { throughPipeline } from "./contract/deliver-to.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeLifeStory } from "./contract/life-story.ts";
import type { ChangeCase } from "./contract/notifier-case.ts";

describe("on a real desktop", () => {
  const session = useShared("stop", startDesktopSession);

  async function shown(title: string, body: string) {
    await desktop.send(localCall(desktop.settings.parse({}), session.env, { title, body }));
    return (await session.history()).at(-1);
  }

  test("title, body, urgency and program are shown", async () => {
    expect(await shown("shop needs you", "Droid wants to run 1 tool")).toEqual({
      summary: "shop needs you",
      body: "Droid wants to run 1 tool",
      urgency: "critical",
      appname: "beckon",
      icon: "needs-you-48.png",
    });
  });

  test("the text is not passed as a program argument, which any user could read", async () => {
    const stubs = stubPrograms();
    stubs.add("notify-send", recordArgs);
    const env = { ...session.env, PATH: stubs.folder };
    await desktop.send(localCall(desktop.settings.parse({}), env, { title: "shop", body: "hunter22" }));
    expect((await session.history()).at(-1)).toMatchObject({ body: "hunter22" });
    expect(stubs.readArgs("notify-send")).toBeUndefined();
  });

  test("200 kB are cut", async () => {
    const { unit, title, body } = desktop.limits;
    const text = "<é👩‍👩‍👧>".repeat(4_000);
    const expected = { summary: cut(text, title, unit), body: cut(text, body, unit) };
    expect(await shown(expected.summary, expected.body)).toMatchObject(expected);
  });

  test("any text arrives unchanged", async () => {
    const texts = [
      `"double" 'single' ‘curly’`,
      "$(touch /tmp/beckon-was-here) `touch /tmp/beckon-was-here`",
      "--help",
      "-u low",
      "- [ ] task",
      "<b>bold</b> <a href='x'>link</a> <img src='/etc/passwd'/> a < b && c > d",
      "&lt;b&gt; &amp; &nbsp;",
      String.raw`C:\new\temp \101 \" \\ \ `.trim(),
      "end\\",
      "100 %s %n %b",
      "👩‍👩‍👧 🇩🇪 é 日本語 שלום عالم",
    ];
    const text = fc.string({
      unit: fc.constantFrom(..."-<>&;\\\"'`$(){}n01 aé\n\t%", "👩‍👩‍👧", "\u202e"),
      maxLength: 60,
    });
    const trimmed = (foreign: string) => clean(foreign).trim();
    await fc.assert(
      fc.asyncProperty(text.map(cleanLine), text.map(trimmed), async (title, body) => {
        expect(await shown(title, body)).toMatchObject({ summary: title || "beckon", body });
      }),
      { numRuns: 40, examples: texts.map((example) => [example, example]) },
    );
  });
});

const changeCase: ChangeCase = {
  withdrawn: "nothing",
  async start() {
    const { env, onScreen, history, restartDaemon, stop } = await startDesktopSession();
    return {
      settings: {},
      ports: localCall({}, env).ports,
      listActive: async () => (await onScreen()).map(({ summary: title, body }) => ({ title, body })),
      removeAll: async () => void (await history()),
      beginAnew: restartDaemon,
      close: stop,
    };
  },
};
describeChanges(desktop, changeCase, throughPipeline);
describeLifeStory(desktop, changeCase);

describe("a session's notification on a real desktop", () => {
  const session = useShared("stop", startDesktopSession);

  /** Shows a notification of the session whose last one has this receipt. */
  async function show(title: string, previous?: Receipt): Promise<Receipt> {
    const call = localCall(desktop.settings.parse({}), session.env, { title, body: "<b>x</b> & y" });
    const thread = { key: "0".repeat(32), ...omitUndefined({ previous }) };
    const receipt = await desktop.send({ ...call, thread });
    return receipt ?? expect.fail("no receipt");
  }
  async function withdraw(receipt: Receipt): Promise<void> {
    await desktop.withdraw?.({ ...localCall(desktop.settings.parse({}), session.env), receipt });
  }
  const titles = async () => (await session.history()).map(({ summary }) => summary);

  test("replaces the last one as text, and is withdrawn", async () => {
    const second = await show("second", await show("first"));
    expect(await session.displayed()).toBe(1);
    await withdraw(second);
    expect(await session.displayed()).toBe(0);
    expect((await session.history()).at(-1)).toMatchObject({ summary: "second", body: "<b>x</b> & y" });
    expect(await titles()).not.toContain("first");
  });

  test("is shown again if the user has closed the last one", async () => {
    const closed = await show("closed");
    await session.history();
    const second = await show("again", closed);
    expect(await session.displayed()).toBe(1);
    await withdraw(second);
  });
});

test("a session without a notification service is unsupported", async () => {
  const bus = await startSessionBus();
  onTestFinished(() => bus.stop());
  const sent = desktop.send(localCall(desktop.settings.parse({}), bus.env));
  await expect(sent).rejects.toMatchObject({ reason: "unsupported", message: expect.stringMatching(/service/) });
});

test("a missing bus is unsupported", async () => {
  const env = { PATH: process.env["PATH"], DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere/bus" };
  const sent = desktop.send(localCall(desktop.settings.parse({}), env));
  await expect(sent).rejects.toMatchObject({ reason: "unsupported" });
});

test.each([
  ["without dbus-launch", undefined],
  ["with dbus-launch, as in Debian's dbus-x11", "exit 1"],
])("an unreachable display is unsupported %s", async (_, dbusLaunch) => {
  const stubs = stubPrograms();
  stubs.add("notify-send", `exec ${createExec().which("notify-send")} "$@"`);
  if (dbusLaunch !== undefined) stubs.add("dbus-launch", dbusLaunch);
  const env = { ...stubs.env, HOME: "/nowhere", XDG_RUNTIME_DIR: "/nowhere", DISPLAY: ":987" };
  const sent = desktop.send(localCall(desktop.settings.parse({}), env));
  await expect(sent).rejects.toMatchObject({ reason: "unsupported", message: expect.stringMatching(/service/) });
});
