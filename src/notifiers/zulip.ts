import * as z from "zod";
import { basic } from "../core/authorization.ts";
import { cut } from "../core/cut.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import type { HttpReply, Refusal } from "../core/http-port.ts";
import { codeSpan, fenced } from "./shared/markup.ts";
import { codeOf, isSuccess, jsonOf, notFrom } from "./shared/reply-rules.ts";
import { secret } from "../core/secret.ts";
import { serverAddress } from "./shared/server-address.ts";

const maxTopicCodePoints = 60;
/** A fence, which is longer than any run of backticks within it, stands before and behind. */
const countedAs = (text: string) => text.replaceAll("`", "```");

/** A Zulip channel. Foreign text stands in a fence and in a code span: no mention and no markup comes out of it. */
export const zulip = defineHttpNotifier({
  name: "zulip",
  summary: "Posts to a Zulip channel, as a bot of yours.",
  source: "https://zulip.com/api/send-message",
  settings: z.object({
    server: serverAddress.describe("Your organization's address."),
    email: z.email("must be the bot's address").describe("The bot's mail address."),
    apiKey: secret(z.string().min(1)).describe("The bot's API key."),
    channel: z.string().min(1).max(60).describe("The channel's name."),
    topic: z.string().min(1).max(60).optional().describe("The topic; default: the project's name."),
  }),
  example: {
    server: "https://example.zulipchat.com",
    email: "bot@example.com",
    apiKey: "${env:ZULIP_KEY}",
    channel: "agents",
  },
  budgetMs: 10_000,
  // 10,000 code points in all, fences included.
  limits: { unit: "codePoints", title: 200, body: 9_500, countedAs },
  plainer: { unit: "codePoints", title: 100, body: 500, countedAs },
  request({ settings: { server, email, apiKey, channel, topic }, message: { title, body, project } }) {
    const content = [codeSpan(title), body && fenced(body)].filter(Boolean).join("\n");
    const form = {
      type: "stream",
      to: channel,
      topic: topic ?? cut(project, maxTopicCodePoints, "codePoints"),
      content,
    };
    return {
      url: `${server}/api/v1/messages`,
      headers: {
        authorization: basic(email, apiKey),
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams(form).toString(),
    };
  },
  judge,
  hints: { auth: "Check `server`, `email` and `apiKey`, and whether the bot is active." },
  probe: {
    request: ({ server, email, apiKey }) => ({
      url: `${server}/api/v1/users/me`,
      method: "GET",
      headers: { authorization: basic(email, apiKey) },
    }),
    judge,
  },
});

/** `msg` is translated; `code` is not. https://zulip.com/api/rest-error-handling */
function judge(reply: HttpReply): Refusal | undefined {
  const { result, code } = jsonOf(reply) ?? {};
  if (code === "STREAM_DOES_NOT_EXIST") return { reason: "auth", message: "knows no such channel", hint: noChannel };
  if (!isSuccess(reply) || result === "success") return undefined;
  return result === undefined ? notFrom("Zulip") : { reason: "rejected", message: `answered with ${codeOf(code)}` };
}

const noChannel = "Check `channel`; a private one knows the bot only once it is subscribed.";
