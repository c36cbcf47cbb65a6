import * as z from "zod";
import { cut } from "../core/cut.ts";
import { isSuccess, jsonOf } from "../core/http-port.ts";
import { secret } from "../core/secret.ts";
import { basic, defineHttpNotifier } from "./shared/http-notifier.ts";
import { codeSpan, fenced } from "./shared/markup.ts";
import { codeOf, notFrom } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/server-address.ts";

const maxTopicCodePoints = 60;
/** A text as Zulip measures it, with a fence before and after that is longer than any run of backticks in the text. */
const countedAs = (text: string) => text.replaceAll("`", "```");

/** Notifier for a Zulip channel. The title is a code span, the body a fenced block: no markup, no mentions. */
export const zulip = defineHttpNotifier({
  name: "zulip",
  summary: "Posts to a Zulip channel, as a bot.",
  source: "https://zulip.com/api/send-message",
  audience: "team",
  settings: z.object({
    server: serverAddress.describe("The address of your organization."),
    email: z.email("must be the bot's email address").describe("The bot's email address."),
    apiKey: secret(z.string().min(1)).describe("The bot's API key."),
    channel: z.string().min(1).max(60).describe("The name of the channel."),
    topic: z.string().min(1).max(60).optional().describe("The topic; default: the project's name."),
  }),
  example: {
    server: "https://example.zulipchat.com",
    email: "bot@example.com",
    apiKey: "${env:ZULIP_KEY}",
    channel: "agents",
  },
  // 10,000 code points in all, including fences.
  limits: { unit: "codePoints", title: 200, body: 9_500, countedAs },
  fallbackLimits: { unit: "codePoints", title: 100, body: 500, countedAs },
  request({ settings: { server, email, apiKey, channel, topic }, message: { title, body, project } }) {
    const content = [codeSpan(title), body && fenced(body)].filter(Boolean).join("\n");
    const topicOrProject = topic ?? cut(project, maxTopicCodePoints, "codePoints");
    const form = { type: "stream", to: channel, topic: topicOrProject, content };
    return {
      url: `${server}/api/v1/messages`,
      headers: { authorization: basic(email, apiKey), "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    };
  },
  // Reads `code`, since `msg` is translated. https://zulip.com/api/rest-error-handling
  classifyReply(reply) {
    const { result, code } = jsonOf(reply) ?? {};
    if (code === "STREAM_DOES_NOT_EXIST") {
      const hint = "Check `channel`; the bot must be subscribed to it if it is private.";
      return { reason: "auth", message: "does not know the channel", hint };
    }
    if (!isSuccess(reply) || result === "success") return undefined;
    return result === undefined ? notFrom("Zulip") : { reason: "rejected", message: `answered with ${codeOf(code)}` };
  },
  hints: { auth: "Check `server`, `email` and `apiKey`, and whether the bot is active." },
  probe: {
    request: ({ server, email, apiKey }) => ({
      url: `${server}/api/v1/users/me`,
      headers: { authorization: basic(email, apiKey) },
    }),
  },
});
