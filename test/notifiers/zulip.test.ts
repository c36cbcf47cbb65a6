import { expect, test } from "vitest";
import { zulip } from "../../src/notifiers/zulip.ts";
import { answer } from "../helpers/hostile-server.ts";
import { canary, describeHttpNotifier } from "../helpers/notifier-contract.ts";

const json = { "content-type": "application/json" };

/** A reader of Zulip's fences and code spans: what stands between runs of backticks of one length, nothing else. */
function readContent(content: string): { title: string; body: string } {
  const span = /^(`+) (.*?) \1(?!`)(?:\n|$)/s.exec(content);
  const rest = content.slice(span?.[0].length ?? 0);
  const lines = rest.split("\n");
  const fence = /^(`{3,})text$/.exec(lines[0] ?? "")?.[1] ?? "";
  const end = lines.findIndex((line, index) => index > 0 && /^`+\s*$/.test(line) && line.trim().length >= fence.length);
  if (rest !== "") expect(end).toBe(lines.length - 1);
  return { title: span?.[2] ?? "", body: lines.slice(1, end).join("\n") };
}

describeHttpNotifier(zulip, {
  settings: (server) => ({ server, email: "bot@example.com", apiKey: canary, channel: "agents & co" }),
  success: answer(200, json, '{"result":"success","msg":"","id":42}'),
  refusals: [
    [
      "too fast",
      answer(429, json, '{"result":"error","code":"RATE_LIMIT_HIT","retry-after":28.7}'),
      { reason: "rate-limited" },
    ],
    ["a wrong key", answer(401, json, '{"result":"error","code":"UNAUTHORIZED"}'), { reason: "auth" }],
    ["no such channel", answer(400, json, '{"result":"error","code":"STREAM_DOES_NOT_EXIST"}'), { reason: "auth" }],
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
    const { body = "" } = zulip.request({ settings: parsed, message, plain: false, nowMs: 0 });
    return new URLSearchParams(body).get("topic");
  };
  expect(topicOf({}, "😀".repeat(70))).toBe("😀".repeat(60));
  expect(topicOf({ topic: "agents" }, "shop")).toBe("agents");
});
