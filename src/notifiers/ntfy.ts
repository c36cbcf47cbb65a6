import * as z from "zod";
import { type HttpReply, jsonOf, type ReplyRules } from "../core/http-port.ts";
import { parseObject } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { secret } from "../core/secret.ts";
import { duration } from "../text/duration.ts";
import { dayMs } from "../text/time.ts";
import { shortHash } from "./shared/hashes.ts";
import { defineHttpNotifier, type OutgoingRequest, type RequestParts, withQuery } from "./shared/http-notifier.ts";
import { loginHeaders, userSettings } from "./shared/login.ts";
import { jsonForm } from "./shared/markup.ts";
import { titleAndMessage } from "./shared/message-text.ts";
import { requireField } from "./shared/reply-rules.ts";
import { isPrivateAddress, serverAddress } from "./shared/server-address.ts";

const urgency = { "needs-you": 4, failed: 4, finished: 3, info: 2 } as const;
/** How often it is asked whether a button was pressed; the server allows one request more every 5 s. */
const seenPauseMs = 10_000;
/** How late a message may ring that the server keeps; it looks every ten seconds for those that are due. */
const maxLateMs = 30_000;
/** The highest priority, which may be let through to a phone that is set to be quiet. */
const urgentPriority = 5;

const settingsSchema = z.object({
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
  ...userSettings,
  urgent: z.boolean().default(false).describe("Whether `needs-you` gets the highest priority, 5."),
  whenResolved: z
    .enum(["clear", "delete", "keep"])
    .default("clear")
    .describe(
      "What becomes of a message that needs nobody any more: `clear` takes it off the screen and marks it as read, `delete` removes it from the app as well, `keep` leaves it: choose that for an iPhone, whose app shows an empty row instead. On servers older than 2.16 it stays.",
    ),
  button: z
    .boolean()
    .default(false)
    .describe(
      "Whether messages have a button that counts as `beckon seen`. The phone posts, without logging in, to the topic with `-seen` behind your topic's name, and beckon reads that one: on a protected server, let everybody write there.",
    ),
  escalate: duration({ min: "10s", max: "3d" })
    .optional()
    .describe(
      "After how long a `needs-you` rings once more, unless it is resolved by then. The server keeps that message: it comes although this computer sleeps. For servers from 2.16 on, as long as they allow.",
    ),
});
type Settings = z.output<typeof settingsSchema>;
type Parts = RequestParts<Settings>;

/**
 * The id by which a message of a thread can be taken back, a new one for each, and the same for all attempts: Android
 * stays silent about a second message of a sequence whose first one it still shows.
 * https://docs.ntfy.sh/publish/#updating-deleting-notifications
 */
function sequenceOf({ thread, message }: Pick<Parts, "thread" | "message">): string | undefined {
  return thread && `${thread.key}-${shortHash(message.id)}`;
}

/** The id of the message that the server keeps to ring later, unless that of this id is resolved by then. */
const laterOf = (sequence: string) => `${sequence}-later`;

const receiptSchema = z.object({
  sequence: z.string().regex(/^[-_A-Za-z0-9]{1,58}$/),
  /** When the server took the message, Unix seconds by its own clock. */
  sentAt: z.int().optional(),
  /** When the message that the server keeps rings, Unix milliseconds by ours; absent where there is none. */
  dueAtMs: z.int().optional(),
});

/** The reply to a question is lines of JSON, one for each message, or none; the status alone says whether it failed. */
const anyLines: ReplyRules = { classifyReply: () => undefined };

/** The topic that the button posts to: one that nobody's phone listens to. */
const seenTopic = (topic: string) => `${topic.slice(0, 59)}-seen`;

/**
 * The button, where a message has one. The phone posts the message's id, which only readers of the topic know, without
 * logging in: no credential of ours is in a message. https://docs.ntfy.sh/publish/#send-http-request
 */
function actionsOf({ settings, message, labels, isFallback, ...parts }: Parts) {
  if (!settings.button || !labels || isFallback || message.kind === "info") return undefined;
  const url = `${settings.server}/${seenTopic(settings.topic)}`;
  return [
    { action: "http", label: labels.seen, url, method: "POST", body: sequenceOf({ ...parts, message }), clear: true },
  ];
}

/** The request that publishes the message under an id, now or later. */
function publish(parts: Parts, when: { readonly sequence_id: string | undefined; readonly delay?: string }) {
  const { settings, message } = parts;
  const { server, topic, urgent } = settings;
  const priority = urgent && message.kind === "needs-you" ? urgentPriority : urgency[message.kind];
  const payload = { topic, ...titleAndMessage(message), priority, actions: actionsOf(parts), ...when };
  return { url: `${server}/`, headers: loginHeaders(settings), body: JSON.stringify(payload) };
}

/** The message's id if the server knows of sequences, as it does since 2.16; an older one says nothing of it. */
function knownSequence(reply: HttpReply, parts: Parts): string | undefined {
  const sequence = sequenceOf(parts);
  return jsonOf(reply)?.["sequence_id"] === sequence ? sequence : undefined;
}

/** How long after the message the server is to ring once more, milliseconds; undefined where it is not. */
function escalationOf({ settings, message }: Parts): number | undefined {
  return message.kind === "needs-you" ? settings.escalate : undefined;
}

/** Takes a message off the phone; none where messages are to stay. */
function takeBack(settings: Settings, sequence: string, how: Settings["whenResolved"]): OutgoingRequest[] {
  const url = `${settings.server}/${settings.topic}/${sequence}`;
  const headers = loginHeaders(settings);
  if (how === "keep") return [];
  return [how === "delete" ? { method: "DELETE", url, headers } : { method: "PUT", url: `${url}/clear`, headers }];
}

/** Notifier for an ntfy topic. It publishes as JSON, since headers take no text outside Latin-1. */
export const ntfy = defineHttpNotifier({
  name: "ntfy",
  summary: "Pushes to a phone through an ntfy topic, on ntfy.sh or your own server.",
  source: "https://docs.ntfy.sh/publish/#publish-as-json",
  audience: "person",
  settings: settingsSchema,
  usedOnlyWith: { password: "user" },
  example: { topic: "my-agents-x7Kq2" },
  // A message of 4,096 bytes or more becomes an attachment. The whole JSON may have 8,192, so texts are measured in it.
  limits: { unit: "bytes", title: 250, body: 4_000, countedAs: jsonForm },
  fallbackLimits: { unit: "bytes", title: 100, body: 500, countedAs: jsonForm },
  detail: ({ server }) => (isPrivateAddress(server) ? "full" : "minimal"),
  lifecycle: {
    withdrawn: "removed",
    buttons: ["seen"],
    condition:
      "Server 2.16 or newer, Android app 1.22 or newer; `whenResolved` decides, and an iPhone wants `keep`. The button with `button`.",
    knowsIds: true,
    reactions: {
      everyMs: seenPauseMs,
      isOn: ({ button }) => button,
      async find({ settings, standing }, ask) {
        const sent = standing.flatMap((receipt) => {
          const { data } = receiptSchema.safeParse(receipt);
          return data ? [{ receipt, ...data }] : [];
        });
        if (sent.length === 0) return [];
        const since = Math.min(...sent.map(({ sentAt = 0 }) => sentAt));
        const url = withQuery(`${settings.server}/${seenTopic(settings.topic)}/json`, { poll: "1", since: `${since}` });
        const { body } = await ask({ method: "GET", url, headers: loginHeaders(settings) }, anyLines);
        const seen = new Set(body.split("\n").map((line) => parseObject(line)?.["message"]));
        return sent.filter(({ sequence }) => seen.has(sequence)).map(({ receipt }) => receipt);
      },
    },
  },
  urgency,
  // One more request is allowed every 5 s, and no header says so: https://docs.ntfy.sh/publish/#limitations
  rateWaitMs: 5_000,
  request: (parts) => publish(parts, { sequence_id: sequenceOf(parts) }),
  // Servers before 2.16 do not know sequences: what they keep to ring later could not be taken back.
  followUp(reply, parts) {
    const sequence = knownSequence(reply, parts);
    const afterMs = escalationOf(parts);
    if (sequence === undefined || afterMs === undefined) return undefined;
    return publish(parts, { sequence_id: laterOf(sequence), delay: `${Math.ceil(afterMs / 1_000)}s` });
  },
  receipt(reply, parts) {
    const { whenResolved, button } = parts.settings;
    const sequence = knownSequence(reply, parts);
    const afterMs = escalationOf(parts);
    const isOfUse = whenResolved !== "keep" || button || afterMs !== undefined;
    if (sequence === undefined || !isOfUse) return undefined;
    const sentAt = z.int().safeParse(jsonOf(reply)?.["time"]).data;
    return { sequence, ...omitUndefined({ sentAt, dueAtMs: afterMs && parts.nowMs + afterMs }) };
  },
  // No `update`: on a phone where the message was dismissed it would ring again, and on an iPhone stand below the
  // first.
  withdraw: {
    request({ settings, nowMs }, receipt) {
      const sent = receiptSchema.safeParse(receipt).data;
      if (!sent) return undefined;
      const { sequence, dueAtMs } = sent;
      const { whenResolved } = settings;
      // Only what is deleted before it is due does not ring.
      const how = dueAtMs !== undefined && nowMs < dueAtMs + maxLateMs ? "delete" : whenResolved;
      const later = dueAtMs === undefined ? [] : takeBack(settings, laterOf(sequence), how);
      return [...later, ...takeBack(settings, sequence, whenResolved)];
    },
    isGone: ({ status }) => status === 404,
  },
  // What ntfy's own codes mean: https://github.com/binwiederhier/ntfy/blob/main/server/errors.go
  classifyReply(reply, nowMs) {
    const code = jsonOf(reply)?.["code"];
    if (code === 40_009 || code === 40_010) {
      return { reason: "auth", message: `does not accept the topic (${code})`, hint: "Choose another `topic`." };
    }
    if (typeof code === "number" && code >= 40_002 && code <= 40_006) {
      const hint = "Choose another `escalate`, or take it out.";
      return { reason: "rejected", message: `keeps no such message to ring later (${code})`, hint };
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
  verification: {
    addressOnly: true,
    request: ({ server }) => ({ url: `${server}/v1/health` }),
    classifyReply: requireField("ntfy", "healthy", "boolean"),
  },
});
