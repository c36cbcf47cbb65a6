import { expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { discord } from "../../src/notifiers/discord.ts";
import { answer } from "../helpers/hostile-server.ts";
import { describeHttpNotifier } from "../helpers/notifier-contract/describe-http-notifier.ts";
import { describeProbe } from "../helpers/notifier-contract/describe-probe.ts";
import { canary } from "../helpers/notifier-contract/notifier-case.ts";

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
  read({ body }, { title }) {
    // The title is bold, or plain in the second attempt.
    const text = (JSON.parse(body) as { content: string }).content.replace(/^\*\*((?:\\.|[^\\])*?)\*\*/s, "$1");
    const decoded = text.replace(/\\([^0-9A-Za-z\s])/g, "$1");
    return { title: decoded.slice(0, title.length), body: decoded.slice(title.length + 1) };
  },
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

describeProbe(discord, {
  settings: (origin) => ({ url: `${origin}/api/webhooks/1/${canary}` }),
  asks: { method: "GET", path: `/api/webhooks/1/${canary}` },
  success: answer(200, json, '{"id":"1","type":1,"token":"x"}'),
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
