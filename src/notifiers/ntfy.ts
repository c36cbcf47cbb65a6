import * as z from "zod";
import { defineHttpNotifier } from "../core/http-notifier.ts";
import type { HttpReply, Refusal } from "../core/http-port.ts";
import { isSuccess, jsonOf, notFrom } from "../core/reply.ts";
import { secret } from "../core/secret.ts";
import { isPrivateAddress, serverAddress } from "../core/server-address.ts";

const urgency = { "needs-you": 4, failed: 4, finished: 3, info: 2 } as const;
/** The day's messages are used up: https://github.com/binwiederhier/ntfy/blob/main/server/errors.go */
const dailyLimit = 42_908;
const hourMs = 3_600_000;

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
    server: serverAddress.default("https://ntfy.sh").describe("A server of your own."),
    token: secret(z.string().min(1)).optional().describe("An access token, where the topic is protected."),
  }),
  example: { topic: "my-agents-x7Kq2" },
  budgetMs: 10_000,
  limits: { unit: "bytes", title: 250, body: 4_000 },
  plainer: { unit: "bytes", title: 100, body: 500 },
  detail: ({ server }) => (isPrivateAddress(server) ? "full" : "minimal"),
  urgency,
  rateWaitMs: 5_000,
  request: ({ settings: { server, topic, token }, message: { title, body, kind } }) => ({
    url: `${server}/`,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    body: JSON.stringify({ topic, title, message: body || title, priority: urgency[kind] }),
  }),
  judge,
  probe: {
    request: ({ server }) => ({ url: `${server}/v1/health`, method: "GET" }),
    judge: (reply) => (isSuccess(reply) && jsonOf(reply)?.["healthy"] !== true ? notFrom("ntfy") : undefined),
  },
});

function judge(reply: HttpReply): Refusal | undefined {
  const { id, code } = jsonOf(reply) ?? {};
  if (isSuccess(reply)) return typeof id === "string" ? undefined : notFrom("ntfy");
  if (code !== dailyLimit) return undefined;
  const hint = "A server of your own, or an account, takes more.";
  return { reason: "rate-limited", message: "takes no more messages today (42908)", hint, retryAfterMs: 6 * hourMs };
}
