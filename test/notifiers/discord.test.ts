import { expect } from "vitest";
import { discord } from "../../src/notifiers/discord.ts";
import { answer } from "../helpers/hostile-server.ts";
import { canary, describeHttpNotifier } from "../helpers/notifier-contract.ts";

const json = { "content-type": "application/json" };

describeHttpNotifier(discord, {
  settings: (origin) => ({ url: `${origin}/api/webhooks/1/${canary}` }),
  success: answer(200, json, '{"id":"1","type":0}'),
  refusals: [
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
    expect(payload.content.replace(/\\./gs, "").replaceAll("**", "")).not.toMatch(/[`*_~>|#<[\]]/);
    expect(new URLSearchParams(path.replace(/.*\?/, "")).get("wait")).toBe("true");
  },
  mentions: ["@everyone @here <@123> <@&456> <#789> <:a:1> ||spoiler|| [x](https://e) -# small"],
});
