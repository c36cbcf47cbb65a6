import { expect, onTestFinished, test } from "vitest";
import { kinds } from "../../src/core/vocabulary.ts";
import { change } from "../../src/follow-up/change.ts";
import { createPorts } from "../../src/io/ports.ts";
import { discord } from "../../src/notifiers/discord.ts";
import { attempt } from "../../src/pipeline/attempt.ts";
import { makeConfig } from "../world/delivery-world.ts";
import { answer, answerJson } from "../world/hostile-server.ts";
import { configuredFor, event } from "./contract/deliver-to.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { describeReplies, updateAt } from "./contract/describe-replies.ts";
import { makePayload, makeRequest } from "./contract/make-request.ts";
import { canary } from "./contract/notifier-case.ts";
import { readDiscord, startDiscordServer } from "./discord-server.ts";

const settings = (origin: string) => ({ url: `${origin}/api/webhooks/1/${canary}` });
const fault = (status: number, code: number) =>
  [`${status}, ${code}`, answerJson(status, { message: "no", code })] as const;

describeHttpNotifier(discord, {
  settings,
  success: answerJson(200, { id: "1", type: 0 }),
  rejections: [
    [
      "a wait in the body, with a fraction",
      answerJson(429, { retry_after: 2.5 }),
      { reason: "rate-limited", waitMs: 2_500 },
    ],
    [
      "a wait in Discord's own header",
      answer(429, { "x-ratelimit-reset-after": "9" }, "{}"),
      { reason: "rate-limited", waitMs: 9_000 },
    ],
    ["a message that was not saved", answer(204), "unavailable"],
    ["an unknown webhook", answerJson(404, { message: "Unknown Webhook", code: 10015 }), "auth"],
  ],
  read: ({ body }) => readDiscord(JSON.parse(body)),
  valid({ body, path }) {
    const payload = JSON.parse(body);
    expect(payload.content.length).toBeLessThanOrEqual(2_000);
    expect(payload.content).not.toBe("");
    expect(payload.allowed_mentions).toEqual({ parse: [] });
    const rest = payload.content.replace(/(?<!\w)https?:\/\/[\w.~%/?=&+#:@,;!$'"^…-]+/g, "").replace(/\\./gs, "");
    expect(rest.replaceAll("**", "")).not.toMatch(/[`*_~>|#<[\]]/);
    expect(new URLSearchParams(path.replace(/.*\?/, "")).get("wait")).toBe("true");
  },
  mentions: ["@everyone @here <@123> <@&456> <#789> <:a:1> ||spoiler|| [x](https://e) -# small"],
});

describeChanges(discord, {
  start: () => startDiscordServer(),
  withdrawn: "done",
  refusal: "auth",
  foreign: [{}, { messageId: 5 }, { messageId: "../5" }, { messageId: "5", threadId: "a" }],
});

describeReplies(discord, {
  settings,
  receipt: { messageId: "5" },
  final: [fault(404, 10_008), fault(404, 10_003), fault(400, 50_083)],
  failures: [
    [...fault(404, 10_015), "auth"],
    [...fault(401, 50_027), "auth"],
    [...fault(400, 50_035), "rejected"],
    [...fault(429, 0), "rate-limited"],
  ],
});

describeProbe(discord, {
  settings,
  asks: { method: "GET", path: `/api/webhooks/1/${canary}` },
  success: answerJson(200, { id: "1", type: 1, token: "x" }),
});

test.each([
  ["by a setting", (url: string) => ({ url, threadId: "77" })],
  ["by the address", (url: string) => ({ url: `${url}?thread_id=77` })],
  ["of its own in a forum channel", (url: string) => ({ url: `${url}?thread_name=agents` })],
])("a message sent to a thread %s is edited in that thread", async (_, settingsFor) => {
  const server = await startDiscordServer(settingsFor);
  onTestFinished(() => server.close());
  const outgoing = { event, facts: {}, configured: await configuredFor(discord, server.settings) };
  const context = { config: await makeConfig({}), ports: createPorts(), keepSecret() {} };
  const { receipt } = await attempt(outgoing, context);
  expect(receipt?.["threadId"]).toMatch(/^\d+$/);
  expect(await change("withdraw", { ...outgoing, receipt: receipt ?? {} }, context)).toEqual({});
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
