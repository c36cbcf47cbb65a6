import { expect, test } from "vitest";
import { zulip } from "../../src/notifiers/zulip.ts";
import { answer } from "../helpers/hostile-server.ts";
import { describeHttpNotifier } from "../helpers/notifier-contract/describe-http-notifier.ts";
import { describeProbe } from "../helpers/notifier-contract/describe-probe.ts";
import { canary } from "../helpers/notifier-contract/notifier-case.ts";

const json = { "content-type": "application/json" };

/**
 * A reader of what stands within Zulip's code spans and fences, by the rules of its server: a fence is a line of three
 * backticks or more and at most a word, and ends with the first line that is exactly as long; within a line, a span is
 * what stands between two runs of as many backticks. Anything outside of them fails.
 * https://github.com/zulip/zulip/blob/main/zerver/lib/markdown/fenced_code.py
 */
function readContent(content: string): { title: string; body: string } {
  const [first = "", ...lines] = content.split("\n");
  expect(first).not.toMatch(/^`{3,} *\w* *[^~`]*$/); // a fence already
  const [span, , title = ""] = /^(`+)(.+?)(?<!`)\1(?!`)/.exec(first) ?? [];
  expect(span, "the span ends with the line").toBe(first);
  if (lines.length === 0) return { title: title.trim(), body: "" };
  const [, fence] = /^(`{3,})text$/.exec(lines[0] ?? "") ?? [];
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === fence);
  expect(end, "the fence ends with the message").toBe(lines.length - 1);
  return { title: title.trim(), body: lines.slice(1, end).join("\n") };
}

const settings = (server: string) => ({ server, email: "bot@example.com", apiKey: canary, channel: "agents & co" });

describeHttpNotifier(zulip, {
  settings,
  success: answer(200, json, '{"result":"success","msg":"","id":42}'),
  rejections: [
    [
      "too fast",
      answer(429, json, '{"result":"error","code":"RATE_LIMIT_HIT","retry-after":28.7}'),
      { reason: "rate-limited", waitMs: 28_700 },
    ],
    ["a wrong key", answer(401, json, '{"result":"error","code":"UNAUTHORIZED"}'), { reason: "auth" }],
    ["no such channel", answer(400, json, '{"result":"error","code":"STREAM_DOES_NOT_EXIST"}'), { reason: "auth" }],
    [
      "a bot that was switched off",
      answer(403, json, '{"result":"error","code":"USER_DEACTIVATED"}'),
      { reason: "auth" },
    ],
    ["no such topic", answer(400, json, '{"result":"error","code":"BAD_REQUEST"}'), { reason: "rejected" }],
    ["an error within a success", answer(200, json, '{"result":"error","code":"BAD_REQUEST"}'), { reason: "rejected" }],
  ],
  read: ({ body }) => readContent(new URLSearchParams(body).get("content") ?? ""),
  valid({ body, headers, path }) {
    expect(path).toBe("/api/v1/messages");
    expect(headers["authorization"]).toBe(`Basic ${Buffer.from(`bot@example.com:${canary}`).toString("base64")}`);
    expect(headers["content-type"]).toBe("application/x-www-form-urlencoded");
    const form = new URLSearchParams(body);
    expect([...form.keys()]).toEqual(["type", "to", "topic", "content"]);
    expect(form.get("to")).toBe("agents & co");
    expect([...(form.get("content") ?? "")].length).toBeLessThanOrEqual(10_000);
  },
  mentions: ["@**all** @_**King Hamlet** #**general** /poll x", "```\n@**all**\n```` `` ```quote"],
});

describeProbe(zulip, {
  settings,
  asks: { method: "GET", path: "/api/v1/users/me" },
  success: answer(200, json, '{"result":"success","msg":"","user_id":7}'),
});

test("the topic is the project's name, 60 code points of it, or one of the user's", () => {
  const topicOf = (settings: object, project: string) => {
    const parsed = zulip.settings.parse({
      server: "https://z.example",
      email: "a@b.co",
      apiKey: "k",
      channel: "c",
      ...settings,
    });
    const message = { title: "t", body: "b", project } as never;
    const { body = "" } = zulip.request({ settings: parsed, message, isFallback: false, nowMs: 0 });
    return new URLSearchParams(body).get("topic");
  };
  expect(topicOf({}, "😀".repeat(70))).toBe(`${"😀".repeat(59)}…`);
  expect(topicOf({ topic: "agents" }, "shop")).toBe("agents");
});
