import { expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { kinds } from "../../src/core/vocabulary.ts";
import { mattermost } from "../../src/notifiers/mattermost.ts";
import { answer } from "../helpers/hostile-server.ts";
import { textOfHtml } from "../helpers/html-text.ts";
import { describeHttpNotifier } from "../helpers/notifier-contract/describe-http-notifier.ts";
import { canary } from "../helpers/notifier-contract/notifier-case.ts";

const json = { "content-type": "application/json" };
const fault = (status_code: number, id: string) =>
  answer(status_code, json, JSON.stringify({ id, message: `May I run the tests? ${canary}`, status_code }));
const reference = /&(?:#\d+|\w+);/g;

/** Everything but the references, and the title's own bold. */
const bare = (text: string): string => text.replace(/^\*\*(.*)\*\*/, "$1").replace(reference, "x");

describeHttpNotifier(mattermost, {
  settings: (origin) => ({ url: `${origin}/hooks/${canary}` }),
  success: answer(200, { "content-type": "text/plain" }, "ok"),
  rejections: [
    ["a webhook that is gone", fault(400, "web.incoming_webhook.invalid.app_error"), { reason: "auth" }],
    ["a text that is refused", fault(400, "web.incoming_webhook.text.app_error"), { reason: "rejected" }],
    ["a channel that is locked", fault(403, "web.incoming_webhook.channel_locked.app_error"), { reason: "auth" }],
    [
      "too many, with the seconds until it is better",
      answer(429, { "x-ratelimit-reset": "3" }, "limit exceeded"),
      { reason: "rate-limited", waitMs: 3_000 },
    ],
    ["another answer", answer(200, json, "{}"), { reason: "unavailable" }],
  ],
  read({ body }) {
    const text = (JSON.parse(body).text as string).replace(/^\*\*(.*)\*\*/, "$1");
    const [title = "", ...lines] = textOfHtml(text).replaceAll("@\u200b", "@").split("\n");
    return { title, body: lines.join("\n") };
  },
  valid({ body }) {
    const { text } = JSON.parse(body);
    expect([...text].length).toBeLessThanOrEqual(16_383);
    expect(bare(text)).not.toMatch(/[\\<>&`*_~[\]#|$]|@(?!\u200b)|^( {4}|\t)|^ *([-+=]|\d{1,9}[.)])/m);
    expect(bare(text)).not.toMatch(/:(?!\/\/)|(?<!https?):/);
  },
  mentions: [
    "<!channel> <!here> <@U012AB3CD> <https://evil.example|click> @channel @all @here @user @\u200b ~town-square #tag",
    ":wave: | a | b |\n|---|---|\n    code\n\tcode\n- l\n+ l\n1. n\n2) n\na\n===\nb\n--- $x$ &lt;",
    "https://example.org/a_b?c=d&e=%20 https://evil/%zz www.evil.example/%zz javascript://x",
  ],
});

const textOf = (words: string): string => {
  const message = { title: "t", body: words, kind: "info" } as Message;
  const { body = "" } = mattermost.request({ settings: { url: "https://h/x" }, message, isFallback: true, nowMs: 0 });
  return (JSON.parse(body).text as string).slice(2);
};

test.each([
  ["ordinary words", 'May I run (it)? It\'s done - 50% - see a.b, "x"!'],
  ["an address", "See https://example.org/pull/12?page=1, or (https://a.de)."],
])("%s stay unchanged", (_, words) => {
  expect(textOf(words)).toBe(words);
});

test.each([
  ["an address that would vanish", "https://e.example/%zz", "https&#58;//e.example/%zz"],
  ["an address without its beginning", "www.e.de e.de/%zz", "www&#46;e.de e.de&#47;%zz"],
  ["an address that is markup", "<https://e.example|x>", "&#60;https&#58;//e.example&#124;x&#62;"],
  ["a mention", "@all", "@\u200ball"],
])("%s has no effect", (_, words, text) => {
  expect(textOf(words)).toBe(text);
});

test.each(kinds)("%s has its priority, except in the fallback form", (kind) => {
  const message = { title: "t", body: "b", kind } as Message;
  const sent = (plain: boolean) =>
    JSON.parse(
      mattermost.request({ settings: { url: "https://h/x" }, message, isFallback: plain, nowMs: 0 }).body ?? "",
    ).priority;
  const urgent = kind === "needs-you" || kind === "failed";
  expect(sent(false)).toEqual(urgent ? { priority: "important" } : undefined);
  expect(sent(true)).toBeUndefined();
});
