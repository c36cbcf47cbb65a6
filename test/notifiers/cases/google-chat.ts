import { expect } from "vitest";
import { answerJson } from "../../world/hostile-server.ts";
import { readHtmlText } from "../../world/html-text.ts";
import { type Cases, canary, readLines } from "../contract/notifier-case.ts";

type Widgets = readonly { readonly textParagraph: { readonly text: string } }[];

export interface Payload {
  readonly text?: string;
  readonly fallbackText?: string;
  readonly thread?: { readonly threadKey: string };
  readonly cardsV2?: readonly { readonly card: { readonly sections: readonly { readonly widgets: Widgets }[] } }[];
}

const fault = (code: number, status: string) =>
  answerJson(code, { error: { code, message: `May I run the tests? ${canary}`, status } });
const paragraphs = ({ cardsV2 = [] }: Payload): string[] =>
  cardsV2.flatMap(({ card }) =>
    card.sections.flatMap(({ widgets }) => widgets.map((first) => first.textParagraph.text)),
  );

export const success = answerJson(200, { name: "spaces/AAAA/messages/B.C", thread: { name: "spaces/AAAA/threads/D" } });

export const httpCase: Cases["httpCase"] = {
  settings: (origin) => ({ url: `${origin}/v1/spaces/AAAA/messages?key=${canary}&token=${canary}` }),
  success,
  rejections: [
    ["a full space", fault(429, "RESOURCE_EXHAUSTED"), "rate-limited"],
    ["an invalid card", fault(400, "INVALID_ARGUMENT"), "rejected"],
    ["a deleted space", fault(404, "NOT_FOUND"), "auth"],
    ["an answer without a name", answerJson(200, {}), "unavailable"],
  ],
  read({ body }) {
    const payload = JSON.parse(body) as Payload;
    return readLines(payload.text?.replaceAll("<\u200b", "<") ?? paragraphs(payload).map(readHtmlText).join("\n"));
  },
  valid({ body, path }) {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(32_000);
    const payload = JSON.parse(body) as Payload;
    expect(payload.thread?.threadKey ?? "0".repeat(32)).toMatch(/^[0-9a-f]{32}$/);
    expect((payload.text ?? "") + (payload.fallbackText ?? "")).not.toMatch(/^$|<(?!\u200b)/);
    for (const text of paragraphs(payload)) {
      expect(text).not.toBe("");
      expect(text.replace(/^<b>(.*)<\/b>$/, "$1")).not.toMatch(/<(?!br>)|&(?!amp;|lt;|gt;)/);
    }
    const { searchParams } = new URL(path, "http://localhost");
    expect(Object.fromEntries(searchParams)).toEqual({
      key: canary,
      token: canary,
      requestId: "evt-1",
      messageReplyOption: "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD",
    });
  },
  mentions: ["<users/all> <users/123> <https://evil.example|click> *b* <b>x</b><br><a href='https://e'>y</a> &lt;"],
};
