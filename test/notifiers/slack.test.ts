import { expect, test } from "vitest";
import { parseConfig } from "../../src/config/parse.ts";
import { slack } from "../../src/notifiers/slack.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { answer, answerJson } from "../world/hostile-server.ts";
import { deliverTo } from "./contract/deliver-to.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { describeReplies, updateAt } from "./contract/describe-replies.ts";
import { makeRequest } from "./contract/make-request.ts";
import { canary } from "./contract/notifier-case.ts";
import { readSlack, type SlackContent, startSlackServer } from "./slack-server.ts";

const bot = (server: string) => ({ token: `xoxb-${canary}`, channel: "#agents", server });
const fault = (error: string, status = 200, headers = {}) =>
  answerJson(status, { ok: false, error, needed: canary }, headers);

describeHttpNotifier(slack, {
  settings: (origin) => ({ url: `${origin}/services/T0/B0/${canary}` }),
  success: answer(200, { "content-type": "text/html" }, "ok"),
  rejections: [
    ["an archived channel", answer(410, {}, "channel_is_archived"), "auth"],
    ["a deleted channel", answer(404, {}, "channel_not_found"), "auth"],
    ["an internal error", answer(500, {}, "rollup_error"), "unavailable"],
    ["an empty answer", answer(200, {}, ""), "unavailable"],
  ],
  read({ body }, { title }) {
    const { text } = JSON.parse(body) as SlackContent;
    const { title: first, body: rest } = readSlack({ text });
    const decoded = [first, rest].filter(Boolean).join("\n");
    return { title: decoded.slice(0, title.length), body: decoded.slice(title.length + 1) };
  },
  valid({ body }) {
    const payload = JSON.parse(body) as SlackContent;
    expect(payload).toMatchObject({ unfurl_links: false, unfurl_media: false });
    expect(payload.text.length).toBeLessThanOrEqual(4_000);
    expect(payload.text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    const [header, section] = payload.blocks ?? [];
    for (const block of payload.blocks ?? []) expect(block.text.type).toBe("plain_text");
    expect(header?.text.text.length ?? 1).toBeGreaterThan(0);
    expect(header?.text.text.length ?? 0).toBeLessThanOrEqual(150);
    expect(section?.text.text.length ?? 0).toBeLessThanOrEqual(3_000);
    if (payload.blocks) expect(payload.blocks.map(({ text }) => text.text).join("\n")).toBe(payload.text);
  },
  mentions: ["<!channel> <!here> <@U012AB3CD> <!subteam^S1> <https://evil.example|click> &lt;!channel&gt; :wave:"],
});

const sent = { channel: "C0AGENTS1", ts: "1700000000.000001" };
describeChanges(slack, {
  start: startSlackServer,
  withdrawn: "done",
  refusal: "rate-limited",
  foreign: [{}, { channel: "C1" }, { channel: "C1", ts: 1.5 }, { channel: "#agents", ts: "1.5" }],
  otherVariant: { settings: { url: "https://hooks.slack.com/services/x" }, receipt: sent },
});

describeReplies(slack, {
  settings: bot,
  receipt: sent,
  final: ["message_not_found", "edit_window_closed", "cant_update_message"].map((error) => [error, fault(error)]),
  failures: [
    ["invalid_auth", fault("invalid_auth"), "auth"],
    ["channel_not_found", fault("channel_not_found"), "auth"],
    ["msg_too_long", fault("msg_too_long"), "rejected"],
  ],
});

describeProbe(slack, {
  settings: bot,
  asks: { method: "POST", path: "/api/auth.test" },
  success: answerJson(200, { ok: true, team: "T", user: "beckon" }),
});

test("a bot's message fails with the right reason, with a hint and without a secret", async () => {
  const rows = [
    ["invalid_auth", fault("invalid_auth"), "auth", /`token`/],
    ["token_revoked", fault("token_revoked"), "auth", /`token`/],
    ["missing_scope", fault("missing_scope"), "auth", /`chat:write`/],
    ["not_in_channel", fault("not_in_channel"), "auth", /`channel`.*invite/],
    ["channel_not_found", fault("channel_not_found"), "auth", /`channel`/],
    ["ratelimited", fault("ratelimited", 429, { "retry-after": "30" }), "rate-limited", undefined],
    ["fatal_error", fault("fatal_error"), "unavailable", undefined],
    ["invalid_blocks", fault("invalid_blocks"), "rejected", undefined],
    ["any other error with a status", fault("whatever", 503), "unavailable", undefined],
    ["no error of its own", answerJson(200, {}), "unavailable", undefined],
  ] as const;
  const check = async ([, reply, reason, hint]: (typeof rows)[number]) => {
    const result = await deliverTo(reply, slack, { settings: bot });
    expect(result.lines[0]?.reason).toMatch(new RegExp(`^${reason}: `));
    if (hint) expect(result.hint).toMatch(hint);
    if (reason === "rate-limited") expect(result.pausedMs).toBe(30_000);
    expect(result.shown).not.toContain(canary);
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});

test("a bot is at Slack unless the settings name a server", () => {
  const { url } = makeRequest(slack, { token: "xoxb-1234567890", channel: "C1" });
  expect(url).toBe("https://slack.com/api/chat.postMessage");
});

test("a bot's message loses its rejected blocks in the fallback form, and links no names", async () => {
  const [asked] = await updateAt(slack, bot, { receipt: sent, reply: answerJson(200, { ok: true }), isFallback: true });
  expect(asked).toMatchObject({ method: "POST", path: "/api/chat.update" });
  expect(JSON.parse(asked?.body ?? "")).toMatchObject({ ...sent, blocks: [], parse: "none" });
});

test.each([
  [{ url: "https://hooks.slack.com/services/x", token: "xoxb-1234567890", channel: "#a" }, "notifiers.team"],
  [{ token: "xoxb-1234567890" }, "notifiers.team.channel"],
  [{ channel: "#a" }, "notifiers.team.token"],
  [{}, "notifiers.team.url"],
])("an entry needs a complete webhook or bot: %j is an error at %s", async (settings, path) => {
  const { findings } = await parseConfig(JSON.stringify({ notifiers: { team: { type: "slack", ...settings } } }));
  expect(findings).toMatchObject([{ level: "error", path }]);
});
