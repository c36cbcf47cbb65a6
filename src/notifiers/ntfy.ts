import * as z from "zod";
import { jsonOf } from "../core/http-port.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { secret } from "../core/secret.ts";
import { basic, defineHttpNotifier, type RequestParts } from "./shared/http-notifier.ts";
import { jsonForm } from "./shared/markup.ts";
import { titleAndMessage } from "./shared/message-text.ts";
import { requireField } from "./shared/reply-rules.ts";
import { isPrivateAddress, serverAddress } from "./shared/server-address.ts";

const dayMs = 24 * 3_600_000;
const urgency = { "needs-you": 4, failed: 4, finished: 3, info: 2 } as const;
/** The highest priority, which may be let through to a phone that is set to be quiet. */
const urgentPriority = 5;

interface Login {
  readonly token?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

/** The headers that say who publishes. */
function loginHeaders({ token, user, password = "" }: Login) {
  const login = user === undefined ? undefined : basic(user, password);
  return omitUndefined({ authorization: token === undefined ? login : `Bearer ${token}` });
}

/**
 * The id by which a message of a thread can be taken back, a new one for each: Android stays silent about a second
 * message of a sequence whose first one it still shows. https://docs.ntfy.sh/publish/#updating-deleting-notifications
 */
function sequenceOf({ thread, nowMs }: Pick<RequestParts<unknown>, "thread" | "nowMs">): string | undefined {
  return thread && `${thread.key}-${nowMs.toString(36)}`;
}
const sequenceSchema = z.string().regex(/^[-_A-Za-z0-9]{1,64}$/);

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
    whenResolved: z
      .enum(["clear", "delete", "keep"])
      .default("clear")
      .describe(
        "What becomes of a message that needs nobody any more: `clear` takes it off the screen and marks it as read, `delete` removes it from the app as well, `keep` leaves it: choose that for an iPhone, whose app shows an empty row instead. On servers older than 2.16 it stays.",
      ),
  }),
  usedOnlyWith: { password: "user" },
  example: { topic: "my-agents-x7Kq2" },
  // A message of 4,096 bytes or more becomes an attachment. The whole JSON may have 8,192, so texts are measured in it.
  limits: { unit: "bytes", title: 250, body: 4_000, countedAs: jsonForm },
  fallbackLimits: { unit: "bytes", title: 100, body: 500, countedAs: jsonForm },
  detail: ({ server }) => (isPrivateAddress(server) ? "full" : "minimal"),
  living: {
    withdrawn: "removed",
    condition: "Server 2.16 or newer, Android app 1.22 or newer; `whenResolved` decides, and an iPhone wants `keep`.",
  },
  urgency,
  // One more request is allowed every 5 s, and no header says so: https://docs.ntfy.sh/publish/#limitations
  rateWaitMs: 5_000,
  request(parts) {
    const { settings, message } = parts;
    const { server, topic, urgent } = settings;
    const priority = urgent && message.kind === "needs-you" ? urgentPriority : urgency[message.kind];
    return {
      url: `${server}/`,
      headers: loginHeaders(settings),
      body: JSON.stringify({ topic, ...titleAndMessage(message), priority, sequence_id: sequenceOf(parts) }),
    };
  },
  // Servers before 2.16 do not know sequences, and say nothing of one.
  receipt(reply, parts) {
    const sequence = sequenceOf(parts);
    const isKnown = sequence !== undefined && jsonOf(reply)?.["sequence_id"] === sequence;
    return isKnown && parts.settings.whenResolved !== "keep" ? { sequence } : undefined;
  },
  // No `update`: on a phone where the message was dismissed it would ring again, and on an iPhone stand below the first.
  withdraw: {
    request({ settings }, receipt) {
      const sequence = sequenceSchema.safeParse(receipt["sequence"]).data;
      if (sequence === undefined || settings.whenResolved === "keep") return undefined;
      const url = `${settings.server}/${settings.topic}/${sequence}`;
      const headers = loginHeaders(settings);
      return settings.whenResolved === "delete"
        ? { method: "DELETE", url, headers }
        : { method: "PUT", url: `${url}/clear`, headers };
    },
    isGone: ({ status }) => status === 404,
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
