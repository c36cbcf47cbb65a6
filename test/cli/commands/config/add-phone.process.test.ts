import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { parse as parseJsonc } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { readingLock } from "../../../../src/files/lock.ts";
import { isAwake } from "../../../../src/files/lock-line.ts";
import { builtCli, useCliHome } from "../../../world/cli-home.ts";
import {
  answer,
  answerJson,
  type Behaviour,
  type HostileServer,
  openHostileServer,
  startHostileServer,
} from "../../../world/hostile-server.ts";
import { useEach } from "../../../world/use.ts";
import { keys, openTerminal, type Terminal } from "../../terminal.ts";

const home = useCliHome();
const notifiers = () => parseJsonc(readFileSync(home.paths.config, "utf8")).notifiers;

/** Runs `config add` at a terminal of 80 columns. */
function add(...args: readonly string[]): Terminal {
  return addThrough(undefined, ...args);
}

/** Runs `config add` as above, with a proxy. */
function addThrough(proxy: string | undefined, ...args: readonly string[]): Terminal {
  const env = { ...home.env, HTTP_PROXY: proxy };
  return openTerminal([process.execPath, builtCli, "config", "add", ...args], env, home.project, 80);
}

const optional = "Which optional settings do you want to set?";
const kinds = "Which events should this notifier report?";
const moment = "When should this notifier be used?";

/** Presses Enter at the questions after the required settings. */
async function acceptUsual(terminal: Terminal): Promise<void> {
  for (const question of [optional, kinds, moment]) await terminal.answer(question, keys.enter);
}

describe("config add phone, with ntfy", () => {
  const server = useEach("close", () =>
    startHostileServer({ "*": answer(200, {}, '{"id":"1","event":"message","healthy":true}') }),
  );
  /** Reads a notifier's topic from its private file. */
  const readTopic = ({ topic }: { readonly topic: string }) =>
    readFileSync(/^\$\{file:~(.*)\}$/.exec(topic)?.[1]?.replace(/^/, home.home) ?? "", "utf8");
  const sent = () => server.requests.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body));

  test("Enter alone leads to a phone that rings: a topic, where to subscribe to it, a code and a test", async () => {
    const terminal = addThrough(server.origin, "phone", "--set", "server=http://phone.lan");
    await terminal.answer("Which app do you want on your phone?", keys.enter);
    await terminal.answer("topic:", keys.enter);
    await acceptUsual(terminal);
    await terminal.answer("Done on the phone?", keys.enter);
    await terminal.answer("Did your phone ring?", keys.enter);
    expect(await terminal.ended, terminal.screen()).toBe(0);
    expect(notifiers().phone.type).toBe("ntfy");
    const topic = readTopic(notifiers().phone);
    expect(topic).toMatch(/^beckon-[a-z2-9]{12}$/);
    expect(sent().map((message) => message.topic)).toEqual([topic]);
    const screen = terminal.screen();
    expect(screen).toContain(`In the ntfy app: + → Subscribe to topic → ${topic}`);
    expect(screen).toContain(`http://phone.lan/${topic}`);
    expect(screen).toMatch(/ █▀▀▀▀▀█ .* █▀▀▀▀▀█ /);
    expect(screen).toContain("added phone to ~/.beckon/config.jsonc");
  });

  test("a typed topic replaces the suggested one; a silent phone gets advice, another test, and may be given up", async () => {
    const terminal = add("ntfy");
    await terminal.answer("topic:", "my-own", keys.enter);
    await terminal.answer(optional, keys.space, keys.enter);
    await terminal.answer("server:", "http://localhost", keys.enter);
    await terminal.answer("Your phone cannot reach this address", keys.enter);
    await terminal.answer("server:", server.origin, keys.enter);
    await terminal.answer("Use it all the same?", keys.yes);
    await terminal.answer(kinds, keys.enter);
    await terminal.answer(moment, keys.enter);
    await terminal.answer("Done on the phone?", keys.enter);
    await terminal.answer("Did your phone ring?", keys.no);
    await terminal.answer("What do you want to do?", keys.down, keys.enter);
    await terminal.answer("Did your phone ring?", keys.no);
    await terminal.answer("What do you want to do?", keys.up, keys.enter);
    expect(await terminal.ended).toBe(1);
    expect(sent().map(({ topic }) => topic)).toEqual(["my-own", "my-own"]);
    expect(terminal.screen()).not.toContain("█▀▀▀▀▀█");
    expect(terminal.screen()).toContain("Compare the topic and the server in the app with those above");
    expect(terminal.screen()).toMatch(/Nothing was saved\.\s*$/);
  });

  test("without a test message the steps are shown, and no question about the phone follows", async () => {
    const terminal = add("ntfy", "--set", `server=${server.origin}`, "--no-test");
    await terminal.answer("topic:", keys.enter);
    await acceptUsual(terminal);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain("Subscribe to topic");
    expect(sent()).toEqual([]);
  });

  test("without a terminal the topic is suggested too, and no code is drawn", async () => {
    const { exitCode, stdout } = await home.start(["config", "add", "ntfy", "--set", `server=${server.origin}`]);
    expect(exitCode, stdout).toBe(0);
    const topic = readTopic(notifiers().ntfy);
    expect(topic).toMatch(/^beckon-[a-z2-9]{12}$/);
    expect(stdout).toContain(`Subscribe to topic → ${topic}`);
    expect(stdout).not.toContain("█");
    expect(sent().map((message) => message.topic)).toEqual([topic]);
  });
});

test("without a terminal, `phone` names the apps to choose from", async () => {
  const { exitCode, stderr } = await home.start(["config", "add", "phone"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("no terminal to choose the app on");
  expect(stderr).toContain("config add ntfy|telegram|pushover|bark|gotify|pushbullet");
});

describe("config add telegram", () => {
  const token = "123456:ABCdefGHIjklMNOpqrSTUvwxYZ0123456789";
  const user = { id: 4242, type: "private", first_name: "Ann", last_name: "Lee" };
  const family = { id: -100_777, type: "supergroup", title: "Fam\u001b[31mily" };
  const update = (id: number, kind: string, chat: object, others = {}) => ({
    update_id: id,
    [kind]: { chat, ...others },
  });
  const reply = (result: unknown) => answerJson(200, { ok: true, result });

  /** Starts a Bot API server as documented, which returns these updates at the further calls of `getUpdates`. */
  async function startBotApi(...calls: readonly (readonly object[] | number)[]) {
    let asked = 0;
    return openHostileServer({
      "*": (request, response) => choose(request.url ?? "")(request, response),
    });
    function choose(path: string): Behaviour {
      if (!path.startsWith(`/bot${token}/`)) return answerJson(401, { ok: false, error_code: 401 });
      if (path.endsWith("/getMe")) return reply({ id: 1, is_bot: true, username: "ann_beckon_bot" });
      if (path.endsWith("/sendMessage")) return reply({ message_id: 1, chat: { id: 4242 } });
      const call = calls[Math.min(asked, calls.length - 1)] ?? [];
      asked += 1;
      if (typeof call !== "number") return reply(call);
      return answerJson(call, { ok: false, error_code: call, description: "Conflict: terminated by other getUpdates" });
    }
  }

  const finish = async (terminal: Terminal) => {
    await acceptUsual(terminal);
    await terminal.answer("Did your phone ring?", keys.enter);
    expect(await terminal.ended, terminal.screen()).toBe(0);
  };
  const methods = (server: HostileServer) => server.requests.map(({ path }) => path.split("/").at(-1));
  const chats = (server: HostileServer) =>
    server.requests.filter(({ path }) => path.endsWith("/sendMessage")).map(({ body }) => JSON.parse(body).chat_id);

  test("names the bot, waits for a message, and lets the user choose the chat by name", async () => {
    const server = await startBotApi(
      [],
      [],
      [update(7, "message", user), update(8, "my_chat_member", family, { new_chat_member: { status: "member" } })],
    );
    const terminal = add("telegram", "--set", `server=${server.origin}`);
    await terminal.answer("token:", token, keys.enter);
    await terminal.answer("Then press Enter", keys.enter);
    await terminal.answer("Nothing has arrived yet.");
    expect(existsSync(home.paths.asks)).toBe(false); // no worker can be reading
    await terminal.answer("Enter the id myself", keys.enter);
    await terminal.answer("Which chat should get the notifications?", keys.down, keys.enter);
    await finish(terminal);
    const screen = terminal.screen();
    expect(screen).toContain("open @BotFather");
    expect(screen).toContain("send @ann_beckon_bot any message");
    expect(screen).toContain("● Family (group)");
    expect(screen).toContain("Ann Lee (private chat)");
    expect(screen).not.toContain(token);
    expect(notifiers().telegram.chatId).toBe("4242");
    expect(chats(server)).toEqual(["4242"]);
    const looked = server.requests
      .filter(({ path }) => path.endsWith("/getUpdates"))
      .map(({ body }) => JSON.parse(body));
    // Telegram keeps the choice of kinds for the next reader, so every call names them, with the presses that the worker
    // reads, and none confirms an update.
    const allowed_updates = ["message", "channel_post", "my_chat_member", "callback_query"];
    expect(looked).toEqual(looked.map(() => ({ limit: 100, timeout: 0, allowed_updates })));
    expect(looked).toHaveLength(3);
  });

  test("lists a chat whose message has already arrived at once, and not a group that the bot has left", async () => {
    const left = update(9, "my_chat_member", { ...family, title: "Left" }, { new_chat_member: { status: "kicked" } });
    const server = await startBotApi([
      left,
      update(7, "message", user),
      update(8, "channel_post", { id: -5, type: "channel", title: "News" }),
    ]);
    const terminal = add("telegram", "--set", `server=${server.origin}`);
    await terminal.answer("token:", token, keys.enter);
    await terminal.answer("Which chat should get the notifications?", keys.enter);
    await finish(terminal);
    expect(terminal.screen()).toContain("News (channel)");
    expect(terminal.screen()).not.toContain("Left");
    expect(chats(server)).toEqual(["-5"]);
    expect(methods(server)[0]).toBe("getUpdates");
  });

  test("keeps the worker from reading the bot's updates until the chat is chosen", async () => {
    mkdirSync(home.paths.asks, { recursive: true, mode: 0o700 });
    const server = await startBotApi([update(7, "message", user)]);
    const terminal = add("telegram", "--set", `server=${server.origin}`);
    await terminal.answer("token:", token, keys.enter);
    await terminal.answer("Which chat should get the notifications?");
    expect(isAwake(readingLock(home.paths, `${server.origin}/bot${token}/`))).toBe(true);
    await terminal.answer("Ann Lee", keys.enter);
    await terminal.answer(optional);
    expect(readdirSync(home.paths.asks)).toEqual([]);
    await finish(terminal);
  });

  test("asks for another token if Telegram refuses it", async () => {
    const server = await startBotApi([update(7, "message", user)]);
    const terminal = add("telegram", "--set", `server=${server.origin}`);
    await terminal.answer("token:", "654321:ABCdefGHIjklMNOpqrSTUvwx", keys.enter);
    await terminal.answer("What do you want to do?", keys.enter);
    await terminal.answer("token:", token, keys.enter);
    await terminal.answer("Which chat should get the notifications?", keys.enter);
    await finish(terminal);
    expect(terminal.screen()).toContain("answered 401 (wrong token)");
    expect(notifiers().telegram.chatId).toBe("4242");
  });

  test("explains a conflict with another reader, and takes a typed id", async () => {
    const server = await startBotApi(409);
    const terminal = add("telegram", "--set", `server=${server.origin}`);
    await terminal.answer("token:", token, keys.enter);
    await terminal.answer("Enter the id myself", keys.down, keys.enter);
    await terminal.answer("chatId:", "4242", keys.enter);
    await finish(terminal);
    expect(terminal.screen()).toContain("Another program or a webhook reads this bot's");
    expect(terminal.screen()).toContain("@userinfobot");
    expect(notifiers().telegram.chatId).toBe("4242");
  });
});
