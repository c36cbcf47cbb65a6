import * as z from "zod";
import { jsonOf } from "../core/http-port.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { secret } from "../core/secret.ts";
import { basic, defineHttpNotifier } from "./shared/http-notifier.ts";
import { jsonForm } from "./shared/markup.ts";
import { titleAndMessage } from "./shared/message-text.ts";
import { requireField } from "./shared/reply-rules.ts";
import { isPrivateAddress, serverAddress } from "./shared/server-address.ts";

const dayMs = 24 * 3_600_000;
const urgency = { "needs-you": 4, failed: 4, finished: 3, info: 2 } as const;
/** The highest priority, which may be let through to a phone that is set to be quiet. */
const urgentPriority = 5;

/** Notifier for an ntfy topic. It publishes as JSON, since headers take no text outside Latin-1. */
export const ntfy = defineHttpNotifier({
  name: "ntfy",
  summary: "Pushes to a phone through an ntfy topic, on ntfy.sh or your own server.",
  source: "https://docs.ntfy.sh/publish/#publish-as-json",
  audience: "person",
  settings: z.object({
    topic: z
      .string()
      .regex(/^[-_A-Za-z0-9]{1,64}$/, "must be at most 64 letters, digits, _ and -")
      .describe("The topic. On a public server, anybody who guesses its name can read the messages."),
    server: serverAddress
      .default("https://ntfy.sh")
      .describe(
        "The address of your own server, if you run one. If its address is public, `detail` is `minimal` by default.",
      ),
    token: secret(z.string().min(1)).optional().describe("An access token, if the topic is protected."),
    user: z
      .string()
      .regex(/^[^:]+$/, "must not contain a colon")
      .optional()
      .describe("A user name, instead of a token."),
    password: secret(z.string().min(1)).optional().describe("The password of `user`."),
    urgent: z.boolean().default(false).describe("Whether `needs-you` gets the highest priority, 5."),
  }),
  usedOnlyWith: { password: "user" },
  example: { topic: "my-agents-x7Kq2" },
  // A message of 4,096 bytes or more becomes an attachment. The whole JSON may have 8,192, so texts are measured in it.
  limits: { unit: "bytes", title: 250, body: 4_000, countedAs: jsonForm },
  fallbackLimits: { unit: "bytes", title: 100, body: 500, countedAs: jsonForm },
  detail: ({ server }) => (isPrivateAddress(server) ? "full" : "minimal"),
  urgency,
  // One more request is allowed every 5 s, and no header says so: https://docs.ntfy.sh/publish/#limitations
  rateWaitMs: 5_000,
  request({ settings: { server, topic, token, user, password, urgent }, message }) {
    const login = user === undefined ? undefined : basic(user, password ?? "");
    const authorization = token === undefined ? login : `Bearer ${token}`;
    const priority = urgent && message.kind === "needs-you" ? urgentPriority : urgency[message.kind];
    return {
      url: `${server}/`,
      headers: omitUndefined({ authorization }),
      body: JSON.stringify({ topic, ...titleAndMessage(message), priority }),
    };
  },
  // What ntfy's own codes mean: https://github.com/binwiederhier/ntfy/blob/main/server/errors.go
  classifyReply(reply, nowMs) {
    const code = jsonOf(reply)?.["code"];
    if (code === 40_009 || code === 40_010) {
      return { reason: "auth", message: `does not accept the topic (${code})`, hint: "Choose another `topic`." };
    }
    if (code !== 42_905 && code !== 42_908) return requireField("ntfy", "id")(reply);
    const hint = "Your own server or an account has a higher limit.";
    // The limit is per day, in UTC.
    const retryAfterMs = dayMs - (nowMs % dayMs);
    return { reason: "rate-limited", message: `accepts no more messages today (${code})`, hint, retryAfterMs };
  },
  hints: {
    auth: "Check `server`, and `token` or `user` and `password`; somebody else may have reserved the topic.",
  },
  probe: {
    addressOnly: true,
    request: ({ server }) => ({ url: `${server}/v1/health` }),
    classifyReply: requireField("ntfy", "healthy", "boolean"),
  },
});
