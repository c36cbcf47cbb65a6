import { describe, expect, onTestFinished, test } from "vitest";
import { parseConfig } from "../../src/config/parse.ts";
import type { Message } from "../../src/core/message.ts";
import type { Receipt } from "../../src/core/notifier-call.ts";
import { createPorts } from "../../src/io/ports.ts";
import { slack } from "../../src/notifiers/slack.ts";
import { answer, startHostileServer } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { deliverTo } from "./contract/deliver-to.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { canary } from "./contract/notifier-case.ts";
import { readSlack, type SlackContent, startSlackServer } from "./slack-server.ts";

const json = { "content-type": "application/json; charset=utf-8" };
const bot = (server: string) => ({ token: `xoxb-${canary}`, channel: "#agents", server });
const fault = (error: string, status = 200, headers = {}) =>
  answer(status, { ...json, ...headers }, JSON.stringify({ ok: false, error, needed: canary }));

describeHttpNotifier(slack, {
  settings: (origin) => ({ url: `${origin}/services/T0/B0/${canary}` }),
  success: answer(200, { "content-type": "text/html" }, "ok"),
  rejections: [
    ["an archived channel", answer(410, {}, "channel_is_archived"), { reason: "auth" }],
    ["a channel that is gone", answer(404, {}, "channel_not_found"), { reason: "auth" }],
    ["a fault in the making", answer(500, {}, "rollup_error"), { reason: "unavailable" }],
    ["an empty answer", answer(200, {}, ""), { reason: "unavailable" }],
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

describeChanges(slack, { start: startSlackServer, withdrawn: "done", refusal: "rate-limited" });

describeProbe(slack, {
  settings: bot,
  asks: { method: "POST", path: "/api/auth.test" },
  success: answer(200, json, '{"ok":true,"team":"T","user":"beckon"}'),
});

test("a webhook has nothing to probe", () => {
  expect(slack.canProbe?.(slack.settings.parse({ url: "https://hooks.slack.com/services/x" }))).toBe(false);
});

describe("a bot's message fails as it should where Slack says", () => {
  test.each([
    ["invalid_auth", fault("invalid_auth"), "auth", /`token`/],
    ["token_revoked", fault("token_revoked"), "auth", /`token`/],
    ["missing_scope", fault("missing_scope"), "auth", /`chat:write`/],
    ["not_in_channel", fault("not_in_channel"), "auth", /`channel`.*invite/],
    ["channel_not_found", fault("channel_not_found"), "auth", /`channel`/],
    ["ratelimited", fault("ratelimited", 429, { "retry-after": "30" }), "rate-limited", undefined],
    ["fatal_error", fault("fatal_error"), "unavailable", undefined],
    ["invalid_blocks", fault("invalid_blocks"), "rejected", undefined],
    ["anything else with a status", fault("whatever", 503), "unavailable", undefined],
    ["nothing of its own", answer(200, json, "{}"), "unavailable", undefined],
  ] as const)("%s", async (_, reply, reason, hint) => {
    const result = await deliverTo(reply, slack, { settings: bot });
    expect(result.lines[0]?.reason).toMatch(new RegExp(`^${reason}: `));
    if (hint) expect(result.hint).toMatch(hint);
    if (reason === "rate-limited") expect(result.pausedMs).toBe(30_000);
    expect(result.shown).not.toContain(canary);
  });
});

test("a bot is Slack's own unless the settings name a server", () => {
  const settings = slack.settings.parse({ token: "xoxb-1234567890", channel: "C1" });
  const message = { title: "t", body: "", kind: "info" } as Message;
  const { url } = slack.request({ settings, message, isFallback: false, nowMs: 0 });
  expect(url).toBe("https://slack.com/api/chat.postMessage");
});

describe("a bot's message that was sent", () => {
  const sent = { channel: "C0AGENTS1", ts: "1700000000.000001" };

  /** What is asked of a server of the test's where a message is updated that has this receipt. */
  async function update(receipt: object, reply = answer(200, json, '{"ok":true}'), more = {}) {
    const server = await startHostileServer({ "*": reply });
    onTestFinished(() => server.close());
    const settings = slack.settings.parse({ ...bot(server.origin), ...more });
    const call = { ...localCall(settings, {}), ports: createPorts(), receipt: receipt as Receipt };
    await slack.update?.({ ...call, isFallback: true });
    return server.requests;
  }

  test("loses its blocks in the fallback form, in which they were rejected, and has no names linked", async () => {
    const [asked] = await update(sent);
    expect(asked).toMatchObject({ method: "POST", path: "/api/chat.update" });
    expect(JSON.parse(asked?.body ?? "")).toMatchObject({ ...sent, blocks: [], parse: "none" });
  });

  test.each(["message_not_found", "edit_window_closed", "cant_update_message"])(
    "needs no change where Slack says: %s",
    async (error) => {
      await expect(update(sent, fault(error))).resolves.toHaveLength(1);
    },
  );

  test.each([
    ["invalid_auth", "auth"],
    ["channel_not_found", "auth"],
    ["msg_too_long", "rejected"],
  ])("is not changed where Slack says %s", async (error, reason) => {
    await expect(update(sent, fault(error))).rejects.toMatchObject({ reason });
  });

  test.each([{}, { channel: "C1" }, { channel: "C1", ts: 1.5 }, { channel: "#agents", ts: "1.5" }])(
    "and has a receipt of another form, %j, is let alone",
    async (receipt) => expect(await update(receipt)).toEqual([]),
  );
});

test("what a bot has sent is let alone where there is only a webhook by now", async () => {
  const settings = slack.settings.parse({ url: "https://hooks.slack.com/services/x" });
  // Any request would fail: its ports refuse.
  await slack.withdraw?.({ ...localCall(settings, {}), receipt: { channel: "C1", ts: "1.5" } });
});

test.each([
  [{ url: "https://hooks.slack.com/services/x", token: "xoxb-1234567890", channel: "#a" }, "notifiers.team"],
  [{ token: "xoxb-1234567890" }, "notifiers.team.channel"],
  [{ channel: "#a" }, "notifiers.team.token"],
  [{}, "notifiers.team.url"],
])("an entry takes a webhook or a bot, whole: %j is an error at %s", async (settings, path) => {
  const { findings } = await parseConfig(JSON.stringify({ notifiers: { team: { type: "slack", ...settings } } }));
  expect(findings).toMatchObject([{ level: "error", path }]);
});
