import * as z from "zod";
import { defineHttpNotifier } from "../core/http-notifier.ts";
import type { HttpReply, Refusal } from "../core/http-port.ts";
import { codeSpan, fenced } from "../core/markup.ts";
import { codeOf, isSuccess, jsonOf, notFrom } from "../core/reply.ts";
import { secret } from "../core/secret.ts";
import { serverAddress } from "../core/server-address.ts";

const maxTopicCodePoints = 60;

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
  // 10,000 code points in all; fences take some.
  limits: { unit: "codePoints", title: 200, body: 4_500 },
  plainer: { unit: "codePoints", title: 100, body: 500 },
  request({ settings: { server, email, apiKey, channel, topic }, message: { title, body, project } }) {
    const content = [codeSpan(title), body && fenced(body)].filter(Boolean).join("\n");
    const form = { type: "stream", to: channel, topic: topic ?? shortTopic(project), content };
    return {
      url: `${server}/api/v1/messages`,
      headers: {
        authorization: authorization(email, apiKey),
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams(form).toString(),
    };
  },
  judge,
  probe: {
    request: ({ server, email, apiKey }) => ({
      url: `${server}/api/v1/users/me`,
      method: "GET",
      headers: { authorization: authorization(email, apiKey) },
    }),
    judge,
  },
});

const authorization = (email: string, apiKey: string): string =>
  `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;

const shortTopic = (project: string): string => [...project].slice(0, maxTopicCodePoints).join("");

/** `msg` is translated; `code` is not. */
function judge(reply: HttpReply): Refusal | undefined {
  const { result, code } = jsonOf(reply) ?? {};
  if (!isSuccess(reply) || result === "success") {
    if (reply.status !== 400 || code !== "STREAM_DOES_NOT_EXIST") return undefined;
    return {
      reason: "auth",
      message: "knows no such channel",
      hint: "Check `channel`, and whether the bot may post there.",
    };
  }
  return result === undefined ? notFrom("Zulip") : { reason: "rejected", message: `answered with ${codeOf(code)}` };
}
