import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse as parseJsonc } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { runConfigAdd } from "../../../../src/cli/commands/config/add/add.ts";
import { runAddAnswers } from "../../../../src/cli/commands/config/add/answers.ts";
import type { Choice, Dialog } from "../../../../src/cli/dialog.ts";
import { CancelledError, interrupted } from "../../../../src/cli/errors.ts";
import { parseConfig } from "../../../../src/config/parse.ts";
import { notifierLoaders } from "../../../../src/notifiers/registry.ts";
import { makeContext, useCliHome } from "../../../world/cli-home.ts";
import { answer, startHostileServer } from "../../../world/hostile-server.ts";
import { makeLastingFolder } from "../../../world/lasting-folder.ts";
import { useEach } from "../../../world/use.ts";

const secret = "cAnArY4711cAnArY4711";
const token = "123456:ABCdefGHIjklMNOpqrSTUvwxYZ0123456789";
const message = answer(200, { "content-type": "application/json" }, '{"id":"1"}');

const home = useCliHome(() => makeLastingFolder("add"));
const temporary = useCliHome();
const server = useEach("close", () => startHostileServer({ "*": message }));

const url = () => `${server.origin}/api/webhooks/1/${secret}`;
const config = () => parseJsonc(readFileSync(home.paths.config, "utf8"));

/** Creates a dialog that gives the answers in turn, then cancels, and records the questions. */
function createDialog(answers: readonly unknown[]): Dialog & { readonly asked: string[] } {
  const left = [...answers];
  const asked: string[] = [];
  const next = async (question: string): Promise<never> => {
    asked.push(question);
    if (left.length === 0) throw new CancelledError();
    return left.shift() as never;
  };
  return { asked, select: next, search: next, selectMany: next, text: next, confirm: next, pressKey: next };
}

describe("config add at a terminal", () => {
  const usual = ["needs-you", "failed", "finished"];

  const ask = async (dialog: Dialog, options = {}) => {
    const lines: string[] = [];
    const context = { ...makeContext(home), print: (text: string) => void lines.push(text) };
    const answers = { dialog, secretLines: async () => [] };
    const code = await runConfigAdd({ test: true, ...options }, context, answers).catch((error: unknown) => {
      if (error instanceof CancelledError) return interrupted;
      throw error;
    });
    return { code, output: lines.join("\n") };
  };

  test("asks for the type, the required settings and the kinds", async () => {
    const dialog = createDialog(["discord", url(), [], ["needs-you"]]);
    const { code, output } = await ask(dialog);
    expect(code, output).toBe(0);
    expect(dialog.asked[0]).toBe("How should beckon notify you?");
    expect(dialog.asked[1]).toMatch(/^url: Webhook, .* private file\. .* \$\{env:NAME\}/);
    expect(config().routes.at(-1)).toEqual({ kinds: ["needs-you"], to: ["discord"] });
    expect(output).not.toContain(secret);
  });

  test.each([
    ["away", { when: "away" }],
    ["later", { after: "5m" }],
  ])("a phone can be limited to %s, and the other notifiers are unchanged", async (moment, condition) => {
    const dialog = createDialog(["ntfy", "my-topic", [], "minimal", usual, moment]);
    expect((await ask(dialog, { test: false, force: true })).code).toBe(0);
    expect(dialog.asked.at(-1)).toBe("When should this notifier be used?");
    expect(config().routes).toEqual([
      { kinds: usual, to: ["desk", "chime"] },
      { kinds: usual, ...condition, to: ["ntfy"] },
    ]);
    expect((await parseConfig(readFileSync(home.paths.config, "utf8"))).findings).toEqual([]);
  });

  test("a phone without limits needs no route", async () => {
    expect(
      (await ask(createDialog(["ntfy", "my-topic", [], "full", usual, "always"]), { test: false, force: true })).code,
    ).toBe(0);
    expect(config().routes).toBeUndefined();
    const file = join(home.paths.root, "secrets", "ntfy-topic");
    expect(config().notifiers.ntfy).toEqual({ type: "ntfy", topic: `\${file:${file}}`, detail: "full" });
    expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["my-topic", 0o600]);
    expect((await parseConfig(readFileSync(home.paths.config, "utf8"))).findings).toEqual([]);
  });

  test("given settings choose the phone app, and a second phone is added only on request", async () => {
    const given = { type: "phone", set: ["server=http://127.0.0.1:8080", "topic=tt"], test: false, force: true };
    expect((await ask(createDialog([[], usual, "always"]), given)).code).toBe(0);
    const second = createDialog([false]);
    expect((await ask(second, given)).output).toContain("phone (ntfy) already exists. To try it: beckon test phone");
    expect(second.asked).toEqual([expect.stringMatching(/^Add another one, named phone-2\?/)]);
    expect((await ask(createDialog([[], usual, "always"]), { ...given, name: "tablet" })).code).toBe(0);
    expect((await ask(createDialog([false]), { type: "sound" })).output).toContain("chime (sound) already exists");
    expect(Object.keys(config().notifiers)).toEqual(["desk", "chime", "phone", "tablet"]);
  });

  test("asks how much a public server may see, and nothing about a private one", async () => {
    const asked = async (server: string) => {
      const dialog = createDialog(["ntfy", "my-topic", ["server"], server, "minimal"]);
      await ask(dialog, { test: false, force: true });
      return dialog.asked.slice(4);
    };
    expect(await asked("https://ntfy.sh")).toEqual([
      "This server is public. How much may your messages contain?",
      "Which events should this notifier report?",
    ]);
    expect(await asked("http://phone.invalid.lan:8080")).toEqual([
      "Which events should this notifier report?",
      "When should this notifier be used?",
    ]);
  });

  test.each([
    ["at the first question", []],
    ["at a setting", ["discord"]],
    ["at more settings", ["discord", "https://discord.com/api/webhooks/1/x"]],
    ["at the kinds", ["discord", "https://discord.com/api/webhooks/1/x", []]],
  ])("saves nothing when the user cancels %s", async (_, answers) => {
    const { code, output } = await ask(createDialog(answers));
    expect(code).toBe(130);
    expect(output).toContain("Nothing was saved.");
    expect(existsSync(home.paths.config)).toBe(false);
    expect(server.requests).toEqual([]);
  });

  test("saves a failed notifier only if the user agrees", async () => {
    await server.close();
    const dead = url();
    expect((await ask(createDialog(["discord", dead, [], usual, "again", "drop"]))).code).toBe(1);
    expect(existsSync(home.paths.config)).toBe(false);
    expect((await ask(createDialog(["discord", dead, [], usual, "save"]))).code).toBe(0);
    expect(config().routes).toBeUndefined();
  });

  test("changes one setting after a failure and keeps the other answers", async () => {
    const wrong = url().replace(/:\d+/, ":1");
    const dialog = createDialog(["discord", wrong, ["threadId"], "42", usual, "change", "url", url()]);
    const { code, output } = await ask(dialog);
    expect(code, output).toBe(0);
    const last = [
      "The test failed. What do you want to do?",
      "Which setting do you want to change?",
      expect.stringMatching(/^url: /),
    ];
    expect(dialog.asked.slice(-3)).toEqual(last);
    expect(config().notifiers.discord).toMatchObject({ type: "discord", threadId: "42" });
  });

  test("offers a notifier's variants, and asks only for the chosen one's settings", async () => {
    const channel = "a".repeat(26);
    const dialog = createDialog(["mattermost", "server, token, channel", server.origin, secret, channel, [], usual]);
    expect((await ask(dialog)).code).toBe(0);
    const asked = dialog.asked.slice(1, 5).map((question) => question.split(":")[0]);
    expect(asked).toEqual(["How do you want to send?", "server", "token", "channel"]);
    const keys = ["type", "server", "token", "channel"];
    expect(Object.keys(config().notifiers.mattermost)).toEqual(keys);
    expect(server.requests.map(({ path }) => path)).toEqual(["/api/v4/users/me", "/api/v4/posts"]);
  });

  test("names a notifier's variants by what they are for", async () => {
    let choices: readonly Choice[] = [];
    const dialog = createDialog([]);
    const select = async (_: string, offered: readonly Choice[]): Promise<never> => {
      choices = offered;
      throw new CancelledError();
    };
    await ask({ ...dialog, select }, { type: "slack" });
    expect(choices.map(({ label }) => label)).toEqual(["Incoming webhook (quickest)", "Bot (can edit its messages)"]);
  });

  test("says in each question where to find the answer", async () => {
    const dialog = createDialog(["discord"]);
    await ask(dialog);
    expect(dialog.asked[1]).toContain("In Discord: Edit Channel → Integrations → Webhooks");
  });

  test("skips the choice if an option already belongs to a variant", async () => {
    const dialog = createDialog(["a".repeat(26), [], usual]);
    const set = [`server=${server.origin}`, "token=${env:MATTERMOST_TOKEN}"];
    expect((await ask(dialog, { type: "mattermost", set, test: false, force: true })).code).toBe(0);
    expect(dialog.asked[0]).toMatch(/^channel: /);
  });

  test("searches types, popular ones first, and asks only for the chosen optional settings", async () => {
    let types: readonly Choice[] = [];
    const dialog = createDialog([url(), ["threadId"], "42", usual]);
    const search = async (_: string, choices: readonly Choice[]) => {
      types = choices;
      return "discord";
    };
    expect((await ask({ ...dialog, search })).code).toBe(0);
    expect(types.map(({ value }) => value).slice(0, 4)).toEqual(["desktop", "sound", "ntfy", "telegram"]);
    expect(types.map(({ value }) => value).sort()).toEqual(Object.keys(notifierLoaders).sort());
    const asked = dialog.asked.map((question) => question.split(":")[0]);
    expect(asked).toEqual(["url", expect.any(String), "threadId", expect.any(String)]);
  });
});

test("config add answers asks whose requests, in which folder, and where, after its warning", async () => {
  const desk = { type: "desktop", program: process.execPath };
  home.config({ notifiers: { desk, me: { type: "telegram", token, chatId: "1" } } });
  const lines: string[] = [];
  const context = { ...makeContext(home), print: (text: string) => void lines.push(text) };
  const dialog = createDialog([["claude"], "~/code/shop/**", ["me"], "4242"]);
  const checked: (string | undefined)[] = [];
  const text: Dialog["text"] = async (question, options) => {
    if (question.startsWith("In which")) checked.push(...["", "/nope", "/nope/**", home.home].map(options.check));
    return dialog.text(question, options);
  };
  expect(await runAddAnswers({}, context, { ...dialog, text })).toBe(0);
  expect(checked).toEqual([undefined, "there is no folder /nope", undefined, undefined]);
  const said = ["A forged answer runs a command", "You cannot answer with desk: `program` gets", "Set answers in"];
  expect(lines.join("\n")).toMatch(new RegExp(said.join("[^]*")));
  const from = { me: { users: [4242], may: ["deny", "allow"] } };
  expect(config().answers).toEqual({ agents: ["claude"], projects: ["~/code/shop/**"], from });
  expect((await parseConfig(readFileSync(home.paths.config, "utf8"))).findings).toEqual([]);
  await expect(runAddAnswers({}, context, dialog)).rejects.toThrow("answers are set up already");
});

test("config add answers saves nothing if it is cancelled, and needs a terminal", async () => {
  home.config({ notifiers: { log: { type: "file", path: "/dev/null" } } });
  const before = readFileSync(home.paths.config, "utf8");
  const context = { ...makeContext(home), print: () => {} };
  await expect(runAddAnswers({}, context, createDialog([["claude"]]))).rejects.toThrow(CancelledError);
  await expect(runAddAnswers({ json: true }, context, createDialog([]))).rejects.toThrow("need a terminal");
  await expect(runAddAnswers({}, context)).rejects.toThrow("need a terminal");
  temporary.config({});
  const exposed = runAddAnswers({}, makeContext(temporary), createDialog([]));
  await expect(exposed).rejects.toThrow("answers cannot work here: beckon's folder is among temporary files");
  expect(readFileSync(home.paths.config, "utf8")).toBe(before);
  const alone = createDialog([["codex"], "~/code/**"]);
  expect(await runAddAnswers({}, context, alone)).toBe(0);
  expect(alone.asked).toHaveLength(2);
  expect(config().answers).toEqual({ agents: ["codex"], projects: ["~/code/**"] });
});
