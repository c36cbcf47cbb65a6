import * as z from "zod";
import { basic, bearer } from "../core/authorization.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import type { HttpReply, Refusal } from "../core/http-port.ts";
import { jsonForm } from "./shared/markup.ts";
import { jsonOf, provenBy } from "./shared/reply-rules.ts";
import { secret } from "../core/secret.ts";
import { isPrivateAddress, serverAddress } from "./shared/server-address.ts";
import { titleAndMessage } from "../core/title-and-message.ts";

const urgency = { "needs-you": 4, failed: 4, finished: 3, info: 2 } as const;
/** The highest, which gets through where a phone is set to be quiet. */
const urgentPriority = 5;

/** An ntfy topic. The body form alone: header values take no text beyond Latin-1. */
export const ntfy = defineHttpNotifier({
  name: "ntfy",
  summary: "Pushes to a topic of ntfy, on ntfy.sh or a server of your own.",
  source: "https://docs.ntfy.sh/publish/#publish-as-json",
  settings: z.object({
    topic: z
      .string()
      .regex(/^[-_A-Za-z0-9]{1,64}$/, "must be letters, digits, _ and -, at most 64")
      .describe("The topic. On a public server anybody who guesses it reads along."),
    server: serverAddress
      .default("https://ntfy.sh")
      .describe("A server of your own. Where the internet could reach it, `detail` is `minimal` unless you set it."),
    token: secret(z.string().min(1)).optional().describe("An access token, where the topic is protected."),
    user: z
      .string()
      .regex(/^[^:]+$/, "must not contain a colon")
      .optional()
      .describe("A user, instead of a token."),
    password: secret(z.string().min(1)).optional().describe("The user's password."),
    urgent: z.boolean().default(false).describe("Whether `needs-you` has the highest priority, 5."),
  }),
  example: { topic: "my-agents-x7Kq2" },
  budgetMs: 10_000,
  // From 4,096 bytes on a message is an attachment. All of the JSON may have 8,192: what counts is its form in there.
  limits: { unit: "bytes", title: 250, body: 4_000, countedAs: jsonForm },
  plainer: { unit: "bytes", title: 100, body: 500, countedAs: jsonForm },
  detail: ({ server }) => (isPrivateAddress(server) ? "full" : "minimal"),
  urgency,
  // A request more every 5 s, and no header that says so: https://docs.ntfy.sh/publish/#limitations
  rateWaitMs: 5_000,
  request({ settings: { server, topic, token, user, password, urgent }, message }) {
    const login = user === undefined ? undefined : basic(user, password ?? "");
    const authorization = token === undefined ? login : bearer(token);
    const priority = urgent && message.kind === "needs-you" ? urgentPriority : urgency[message.kind];
    return {
      url: `${server}/`,
      ...(authorization !== undefined && { headers: { authorization } }),
      body: JSON.stringify({ topic, ...titleAndMessage(message), priority }),
    };
  },
  judge: (reply, nowMs) => judgeCode(reply, nowMs) ?? provenBy("ntfy", "id")(reply),
  hints: { auth: "Check `server`, and `token` or `user` and `password`: the topic may be somebody else's." },
  probe: {
    addressOnly: true,
    request: ({ server }) => ({ url: `${server}/v1/health`, method: "GET" }),
    judge: provenBy("ntfy", "healthy", "boolean"),
  },
});

const dayMs = 24 * 3_600_000;

/** https://github.com/binwiederhier/ntfy/blob/main/server/errors.go */
function judgeCode(reply: HttpReply, nowMs: number): Refusal | undefined {
  const code = jsonOf(reply)?.["code"];
  if (code === 40_009 || code === 40_010) {
    return { reason: "auth", message: `takes no such topic (${code})`, hint: "Choose another `topic`." };
  }
  if (code !== 42_905 && code !== 42_908) return undefined;
  const hint = "A server of your own, or an account, takes more.";
  // Counted anew from midnight, UTC.
  const retryAfterMs = dayMs - (nowMs % dayMs);
  return { reason: "rate-limited", message: `takes no more today (${code})`, hint, retryAfterMs };
}
