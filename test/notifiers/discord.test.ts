import { describe, expect, onTestFinished, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { Receipt } from "../../src/core/notifier-call.ts";
import { createPorts } from "../../src/io/ports.ts";
import { discord } from "../../src/notifiers/discord.ts";
import { attempt } from "../../src/pipeline/attempt.ts";
import { change } from "../../src/pipeline/change.ts";
import { configOf } from "../world/delivery-world.ts";
import { answer, startHostileServer } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { configuredFor, event } from "./contract/deliver-to.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { canary } from "./contract/notifier-case.ts";
import { readDiscord, startDiscordServer } from "./discord-server.ts";

const json = { "content-type": "application/json" };

describeHttpNotifier(discord, {
  settings: (origin) => ({ url: `${origin}/api/webhooks/1/${canary}` }),
  success: answer(200, json, '{"id":"1","type":0}'),
  rejections: [
    [
      "a wait in the body, with a fraction",
      answer(429, json, '{"retry_after":2.5}'),
      { reason: "rate-limited", waitMs: 2_500 },
    ],
    [
      "a wait in Discord's own header",
      answer(429, { "x-ratelimit-reset-after": "9" }, "{}"),
      { reason: "rate-limited", waitMs: 9_000 },
    ],
    ["a message that was not saved", answer(204), { reason: "unavailable" }],
    ["an unknown webhook", answer(404, json, '{"message":"Unknown Webhook","code":10015}'), { reason: "auth" }],
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

describeChanges(discord, { start: () => startDiscordServer(), withdrawn: "done", refusal: "auth" });

describeProbe(discord, {
  settings: (origin) => ({ url: `${origin}/api/webhooks/1/${canary}` }),
  asks: { method: "GET", path: `/api/webhooks/1/${canary}` },
  success: answer(200, json, '{"id":"1","type":1,"token":"x"}'),
});

describe("a message that was sent", () => {
  test.each([
    ["by a setting", (url: string) => ({ url, threadId: "77" })],
    ["by the address", (url: string) => ({ url: `${url}?thread_id=77` })],
    ["of its own in a forum channel", (url: string) => ({ url: `${url}?thread_name=agents` })],
  ])("to a thread %s is edited there", async (_, settingsFor) => {
    const server = await startDiscordServer(settingsFor);
    onTestFinished(() => server.close());
    const outgoing = { event, facts: {}, configured: await configuredFor(discord, server.settings) };
    const context = { config: await configOf({}), ports: createPorts(), keepSecret() {} };
    const { receipt } = await attempt(outgoing, context);
    expect(receipt?.["threadId"]).toMatch(/^\d+$/);
    expect(await change("withdraw", { ...outgoing, receipt: receipt ?? {} }, context)).toEqual({});
    expect((await server.standing()).map(({ title }) => title)).toEqual(["✓ shop · Claude Code"]);
  });

  /** What is asked of a server of the test's where a message is updated that has this receipt. */
  async function update(receipt: object, reply = answer(200, json, '{"id":"5"}')) {
    const server = await startHostileServer({ "*": reply });
    onTestFinished(() => server.close());
    const settings = { url: `${server.origin}/api/webhooks/1/x/?wait=true` };
    await discord.update?.({ ...localCall(settings, {}), ports: createPorts(), receipt: receipt as Receipt });
    return server.requests;
  }

  test("is edited at its own address, and a push is no part of an edit", async () => {
    const [asked] = await update({ messageId: "5" });
    expect(asked).toMatchObject({ method: "PATCH", path: "/api/webhooks/1/x/messages/5" });
    expect(JSON.parse(asked?.body ?? "")).toMatchObject({ flags: 4, allowed_mentions: { parse: [] } });
  });

  test.each([
    [404, 10_008],
    [404, 10_003],
    [400, 50_083],
  ])("needs no change where Discord answers %i with code %i", async (status, code) => {
    const reply = answer(status, json, JSON.stringify({ message: "no", code }));
    await expect(update({ messageId: "5" }, reply)).resolves.toHaveLength(1);
  });

  test.each([
    [404, 10_015, "auth"],
    [401, 50_027, "auth"],
    [400, 50_035, "rejected"],
    [429, 0, "rate-limited"],
  ])("is not changed where Discord answers %i with code %i", async (status, code, reason) => {
    const reply = answer(status, json, JSON.stringify({ message: "no", code }));
    await expect(update({ messageId: "5" }, reply)).rejects.toMatchObject({ reason });
  });

  test.each([{}, { messageId: 5 }, { messageId: "../5" }, { messageId: "5", threadId: "a" }])(
    "and has a receipt of another form, %j, is let alone",
    async (receipt) => expect(await update(receipt)).toEqual([]),
  );
});

test.each([
  ["see https://github.com/o/my-repo/pull/1#issue_2.", "see https://github.com/o/my-repo/pull/1#issue_2."],
  ["(http://localhost:3000/a_b)", "(http://localhost:3000/a_b)"],
  ["_x_ https://e.example/_y_ *z*", "\\_x\\_ https://e.example/_y_ \\*z\\*"],
  ["[x](https://e.example/a_b)", "\\[x\\](https://e.example/a_b)"],
  ["https://e.example/**x**", "https://e.example/\\*\\*x\\*\\*"],
  ["xhttps://a_b_c", "xhttps://a\\_b\\_c"],
])("an address is not escaped, so that it stays a link: %s", (body, expected) => {
  const message = { title: "t", body, kind: "finished" } as Message;
  const { body: posted = "" } = discord.request({
    settings: { url: "https://x.example" },
    message,
    isFallback: true,
    nowMs: 0,
  });
  expect(JSON.parse(posted).content).toBe(`t\n${expected}`);
});

test.each([
  ["needs-you", 4],
  ["failed", 4],
  ["finished", 4],
  ["info", 4 + 4096],
] as const)("%s has the flags %i: never a link preview, no push for `info`", (kind, flags) => {
  const message = { title: "t", body: "b", kind } as Message;
  const settings = { url: "https://discord.com/api/webhooks/1/x?thread_name=y", threadId: "42" };
  const { url, body = "" } = discord.request({ settings, message, isFallback: false, nowMs: 0 });
  expect(JSON.parse(body).flags).toBe(flags);
  expect(url).toBe("https://discord.com/api/webhooks/1/x?thread_name=y&wait=true&thread_id=42");
});
