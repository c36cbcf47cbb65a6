import { expect, onTestFinished, test } from "vitest";
import { kinds } from "../../src/core/vocabulary.ts";
import { discord } from "../../src/notifiers/discord.ts";
import { answerJson } from "../world/hostile-server.ts";
import { startDiscordServer } from "./cases/discord.ts";
import { updateAt } from "./contract/describe-notifier.ts";
import { makePayload, makeRequest } from "./contract/make-request.ts";
import { direct } from "./contract/way.ts";

test.each([
  ["by a setting", (url: string) => ({ url, threadId: "77" })],
  ["by the address", (url: string) => ({ url: `${url}?thread_id=77` })],
  ["of its own in a forum channel", (url: string) => ({ url: `${url}?thread_name=agents` })],
])("a message sent to a thread %s is edited in that thread", async (_, settingsFor) => {
  const server = await startDiscordServer(settingsFor);
  onTestFinished(() => server.close());
  const target = { notifier: discord, settings: server.settings };
  const { receipt = {} } = await direct.send(target, { message: "first" });
  expect(receipt["threadId"]).toMatch(/^\d+$/);
  expect(await direct.change("withdraw", target, { message: "first", receipt })).toEqual({});
  expect((await server.listActive()).map(({ title }) => title)).toEqual(["✓ shop · Claude Code"]);
});

test("a message is edited at its own address, without the push flags", async () => {
  const settings = (origin: string) => ({ url: `${origin}/api/webhooks/1/x/?wait=true` });
  const [asked] = await updateAt(discord, settings, {
    receipt: { messageId: "5" },
    reply: answerJson(200, { id: "5" }),
  });
  expect(asked).toMatchObject({ method: "PATCH", path: "/api/webhooks/1/x/messages/5" });
  expect(JSON.parse(asked?.body ?? "")).toMatchObject({ flags: 4, allowed_mentions: { parse: [] } });
});

test("an address is not escaped and stays a link", () => {
  const texts = {
    "see https://github.com/o/my-repo/pull/1#issue_2.": "see https://github.com/o/my-repo/pull/1#issue_2.",
    "(http://localhost:3000/a_b)": "(http://localhost:3000/a_b)",
    "_x_ https://e.example/_y_ *z*": "\\_x\\_ https://e.example/_y_ \\*z\\*",
    "[x](https://e.example/a_b)": "\\[x\\](https://e.example/a_b)",
    "https://e.example/**x**": "https://e.example/\\*\\*x\\*\\*",
    "xhttps://a_b_c": "xhttps://a\\_b\\_c",
  };
  const post = (body: string) =>
    makePayload(discord, { url: "https://x.example" }, { message: { body }, isFallback: true }).content;
  const posted = Object.keys(texts).map((body) => [body, post(body).replace(/^t\n/, "")]);
  expect(Object.fromEntries(posted)).toEqual(texts);
});

test("no message has a link preview, and `info` no push; the thread is part of the address", () => {
  const settings = { url: "https://discord.com/api/webhooks/1/x?thread_name=y", threadId: "42" };
  const flags = kinds.map((kind) => [kind, makePayload(discord, settings, { message: { kind } }).flags]);
  expect(Object.fromEntries(flags)).toEqual({ "needs-you": 4, failed: 4, finished: 4, info: 4 + 4096 });
  const { url } = makeRequest(discord, settings);
  expect(url).toBe("https://discord.com/api/webhooks/1/x?thread_name=y&wait=true&thread_id=42");
});
