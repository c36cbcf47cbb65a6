import { expect } from "vitest";
import { slack } from "../../src/notifiers/slack.ts";
import { answer } from "../helpers/hostile-server.ts";
import { describeHttpNotifier } from "../helpers/notifier-contract/describe-http-notifier.ts";
import { canary } from "../helpers/notifier-contract/notifier-case.ts";

interface Payload {
  readonly text: string;
  readonly blocks?: readonly {
    readonly type: string;
    readonly text: { readonly type: string; readonly text: string };
  }[];
}

const decode = (text: string): string => text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");

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
    const { text } = JSON.parse(body) as Payload;
    const decoded = decode(text);
    return { title: decoded.slice(0, title.length), body: decoded.slice(title.length + 1) };
  },
  valid({ body }) {
    const payload = JSON.parse(body) as Payload;
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
