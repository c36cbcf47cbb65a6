import { expect } from "vitest";
import { rocketChat } from "../../src/notifiers/rocket-chat.ts";
import { answer } from "../helpers/hostile-server.ts";
import { describeHttpNotifier } from "../helpers/notifier-contract/describe-http-notifier.ts";
import { canary } from "../helpers/notifier-contract/notifier-case.ts";

interface Payload {
  readonly text: string;
  readonly attachments: readonly { readonly text: string; readonly mrkdwn_in: readonly string[] }[];
  readonly parseUrls: boolean;
}

const json = { "content-type": "application/json" };
const fault = (status: number, error: string, headers = {}) =>
  answer(status, { ...json, ...headers }, JSON.stringify({ success: false, error }));
const resetAt = String(Date.parse("2026-11-20T12:00:00Z") + 25_000);

/** A line as its reader sees it: nothing invisible, and no backslash before what it takes the meaning from. */
const shown = (line: string): string =>
  line
    .slice(1)
    .replace(/\\([*~`])/g, "$1")
    .replace(/([^\w\s])\u200b|_\u200b/g, (pair) => pair.slice(0, -1));

describeHttpNotifier(rocketChat, {
  settings: (origin) => ({ url: `${origin}/hooks/${canary}/${canary}` }),
  success: answer(200, json, '{"success":true}'),
  rejections: [
    ["a text that is too long", fault(400, "error-message-size-exceeded"), { reason: "rejected" }],
    ["no success, in a success", fault(200, `May I run the tests? ${canary}`), { reason: "rejected" }],
    ["too many, as an error of ours", fault(400, "error-too-many-requests"), { reason: "rate-limited" }],
    [
      "too many, with the time of the next",
      fault(429, "error-too-many-requests", { "x-ratelimit-reset": resetAt }),
      { reason: "rate-limited", waitMs: 25_000 },
    ],
    ["an integration that is switched off", fault(503, "Service Unavailable"), { reason: "unavailable" }],
  ],
  read({ body }) {
    const { text, attachments } = JSON.parse(body) as Payload;
    const [title = "", ...lines] = text.split("\n").map(shown);
    return { title, body: attachments[0]?.text ?? lines.join("\n") };
  },
  valid({ body }) {
    const { text, attachments, parseUrls } = JSON.parse(body) as Payload;
    expect(text.length + (attachments[0]?.text.length ?? 0)).toBeLessThanOrEqual(5_000);
    expect(parseUrls).toBe(false);
    expect(text).not.toMatch(/[@#<>[\]:|$](?!\u200b)|(?<!\\)[*~`]|^[^\u200b]/m);
    for (const attachment of attachments) expect(attachment.mrkdwn_in).toEqual([]);
  },
  mentions: ["@all @here @user @\u200b #general [x](https://e) <https://e|x> ||s|| :smile: \\* \\\u200b_"],
});
