import * as z from "zod";
import { parseReply } from "../core/http-port.ts";
import { parseObject } from "../core/json-value.ts";
import type { NotifierCall } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { hiddenName, secret } from "../core/secret.ts";
import { duration } from "../text/duration.ts";
import { dayMs } from "../text/time.ts";
import { buildMessageId, defineHttpNotifier, type OutgoingRequest, withQuery } from "./shared/http-notifier.ts";
import { jsonForm, titleAndMessage } from "./shared/markup.ts";
import { requireField } from "./shared/reply-rules.ts";
import { isPrivateAddress, loginHeaders, serverAddress, userSettings } from "./shared/settings.ts";

const urgency = { "needs-you": 4, failed: 4, finished: 3, info: 2 } as const;
/** Interval for asking whether a button was pressed, 10 s. On average, the server allows one request every 5 s. */
const seenPollMs = 10_000;
/** Longest time that a scheduled message may be late, 30 s. The server looks for due messages every 10 s. */
const maxRingDelayMs = 30_000;
/** Highest priority, which may ring on a phone in do-not-disturb mode. */
const urgentPriority = 5;

const settingsSchema = z.object({
  topic: hiddenName(
    z
      .string()
      .regex(/^[-_A-Za-z0-9]{1,64}$/, "must be at most 64 letters, digits, _ and -")
      .describe("Name of the topic. On a public server, anybody who guesses the name can read the messages."),
  ),
  server: serverAddress
    .default("https://ntfy.sh")
    .describe(
      "Address of your own server. On a public one, messages name only project, agent and kind unless you set `detail`.",
    ),
  token: secret(z.string().min(1)).optional().describe("Access token, if the topic is protected."),
  ...userSettings,
  urgent: z.boolean().default(false).describe("Send `needs-you` with the highest priority, 5."),
  whenResolved: z
    .enum(["clear", "delete", "keep"])
    .default("clear")
    .describe(
      "What happens to a resolved message: `clear` marks it as read, `delete` also removes it from the app, `keep` (best for iPhones) leaves it.",
    ),
  button: z
    .boolean()
    .default(false)
    .describe(
      "Add a button that works like `beckon seen`. It posts to the topic's name plus `-seen`, without logging in: on a protected server, let everybody write to that topic.",
    ),
  escalate: duration({ min: "10s", max: "3d" })
    .optional()
    .describe("Ring once more if `needs-you` is still open after this time, even while this computer sleeps."),
});
type Settings = z.output<typeof settingsSchema>;
type Call = NotifierCall<Settings>;

/** Builds the id of the scheduled message, which rings later unless the first message is resolved by then. */
const buildLaterSequence = (sequence: string) => `${sequence}-later`;

const receiptSchema = z.object({
  sequence: z.string().regex(/^[-_A-Za-z0-9]{1,58}$/),
  /** Time when the server accepted the message, Unix seconds by the server's clock. */
  sentAt: z.int().optional(),
  /**
   * Time by this machine's clock at which the scheduled message rings, Unix milliseconds; absent without a scheduled
   * message.
   */
  dueAtMs: z.int().optional(),
});

/** Builds the name of the topic that the button posts to. Phones do not subscribe to this topic. */
const seenTopic = (topic: string) => `${topic.slice(0, 59)}-seen`;

/**
 * Builds the button of a message, if the message has a button. The phone posts the message's id, which only readers of
 * the topic know. The phone does not log in, because a message must not contain credentials.
 * https://docs.ntfy.sh/publish/#send-http-request
 */
function buildActions(call: Call) {
  const { settings, message, thread, labels, isFallback } = call;
  if (!settings.button || !thread || isFallback || message.kind === "info") return undefined;
  const url = `${settings.server}/${seenTopic(settings.topic)}`;
  return [
    {
      action: "http",
      label: labels.seen,
      url,
      method: "POST",
      body: buildMessageId(call),
      clear: true,
    },
  ];
}

/** Builds the request that publishes the message under a sequence id, immediately or after a delay. */
function publish(call: Call, when: { readonly sequence_id: string; readonly delay?: string }) {
  const { settings, message } = call;
  const { server, topic, urgent } = settings;
  const priority = urgent && message.kind === "needs-you" ? urgentPriority : urgency[message.kind];
  const payload = { topic, ...titleAndMessage(message), priority, actions: buildActions(call), ...when };
  return { url: `${server}/`, headers: loginHeaders(settings), body: JSON.stringify(payload) };
}

/**
 * Publishes the message, and then the scheduled message if it is to ring once more. If the second request fails, the
 * whole attempt is repeated.
 */
async function send(call: Call) {
  const { settings, message, thread, ports, signal } = call;
  const nowMs = ports.clock.now();
  const sequence = buildMessageId(call);
  const reply = parseReply(await ports.http.post({ ...publish(call, { sequence_id: sequence }), signal }));
  // Servers before 2.16 do not support sequences, so a scheduled message could not be withdrawn.
  if (reply?.["sequence_id"] !== sequence) return undefined;
  const afterMs = thread && message.kind === "needs-you" ? settings.escalate : undefined;
  if (afterMs !== undefined) {
    const when = { sequence_id: buildLaterSequence(sequence), delay: `${Math.ceil(afterMs / 1_000)}s` };
    await ports.http.post({ ...publish(call, when), signal });
  } else if (settings.whenResolved === "keep" && !settings.button) return undefined;
  const sentAt = z.int().safeParse(reply["time"]).data;
  return { sequence, ...omitUndefined({ sentAt, dueAtMs: afterMs && nowMs + afterMs }) };
}

/** Builds the request that removes a message from the phone. Returns an empty list if messages stay on the phone. */
function buildWithdrawal(settings: Settings, sequence: string, how: Settings["whenResolved"]): OutgoingRequest[] {
  const url = `${settings.server}/${settings.topic}/${sequence}`;
  const headers = loginHeaders(settings);
  if (how === "keep") return [];
  return [how === "delete" ? { method: "DELETE", url, headers } : { method: "PUT", url: `${url}/clear`, headers }];
}

/** Notifier for an ntfy topic. It publishes JSON, because headers take Latin-1 only. */
export const ntfy = defineHttpNotifier({
  name: "ntfy",
  summary: "Pushes to a phone through an ntfy topic, on ntfy.sh or your own server.",
  source: "https://docs.ntfy.sh/publish/#publish-as-json",
  guide: async () => (await import("./shared/guides/ntfy.ts")).ntfyGuide,
  audience: "person",
  settings: settingsSchema,
  usedOnlyWith: { password: "user" },
  example: { topic: "my-agents-x7Kq2" },
  // A message of 4,096 bytes or more becomes an attachment. The whole JSON may have 8,192 bytes, so texts are measured
  // as JSON.
  limits: { unit: "bytes", title: 250, body: 4_000, countedAs: jsonForm },
  fallbackLimits: { unit: "bytes", title: 100, body: 500, countedAs: jsonForm },
  detail: ({ server }) => (isPrivateAddress(server) ? "full" : "minimal"),
  lifecycle: {
    withdrawn: "removed",
    buttons: ["seen"],
    condition: "needs server 2.16 and Android app 1.22",
    knowsIds: true,
    reactions: {
      everyMs: seenPollMs,
      isOn: ({ button }) => button,
      async find({ settings, active, ports, signal }) {
        const sent = active.flatMap((receipt) => {
          const { data } = receiptSchema.safeParse(receipt);
          return data ? [{ receipt, ...data }] : [];
        });
        if (sent.length === 0) return [];
        const since = Math.min(...sent.map(({ sentAt = 0 }) => sentAt));
        const url = withQuery(`${settings.server}/${seenTopic(settings.topic)}/json`, { poll: "1", since: `${since}` });
        const request = { method: "GET", url, headers: loginHeaders(settings), signal } as const;
        // The reply has a line of JSON for each message. Only the HTTP status shows a failure.
        const { body } = await ports.http.post({ ...request, classifyReply: () => undefined });
        const seen = new Set(body.split("\n").map((line) => parseObject(line)?.["message"]));
        return sent.filter(({ sequence }) => seen.has(sequence)).map(({ receipt }) => receipt);
      },
    },
  },
  urgency,
  // One more request is allowed every 5 s; no header tells this: https://docs.ntfy.sh/publish/#limitations
  rateWaitMs: 5_000,
  request: (call) => publish(call, { sequence_id: buildMessageId(call) }),
  send,
  // There is no `update`. A phone on which the message was dismissed would ring again, and an iPhone would show the
  // update as a second message.
  withdraw: {
    request({ settings, ports, receipt }) {
      const sent = receiptSchema.safeParse(receipt).data;
      if (!sent) return undefined;
      const { sequence, dueAtMs } = sent;
      const { whenResolved } = settings;
      // Only deleting the scheduled message before it is due stops the second ring.
      const how = dueAtMs !== undefined && ports.clock.now() < dueAtMs + maxRingDelayMs ? "delete" : whenResolved;
      const later = dueAtMs === undefined ? [] : buildWithdrawal(settings, buildLaterSequence(sequence), how);
      return [...later, ...buildWithdrawal(settings, sequence, whenResolved)];
    },
    isGone: ({ status }) => status === 404,
  },
  // ntfy's own codes: https://github.com/binwiederhier/ntfy/blob/main/server/errors.go
  classifyReply(reply, nowMs) {
    const code = parseReply(reply)?.["code"];
    if (code === 40_009 || code === 40_010) {
      return { reason: "auth", message: `does not accept the topic (${code})`, hint: "Choose another `topic`." };
    }
    if (typeof code === "number" && code >= 40_002 && code <= 40_006) {
      const hint = "Choose another `escalate`, or take it out.";
      return { reason: "rejected", message: `keeps no such message to ring later (${code})`, hint };
    }
    if (code !== 42_905 && code !== 42_908) return requireField("ntfy", "id")(reply);
    const hint = "Your own server or an account has a higher limit.";
    // The limit applies to each day in UTC.
    const retryAfterMs = dayMs - (nowMs % dayMs);
    return { reason: "rate-limited", message: `accepts no more messages today (${code})`, hint, retryAfterMs };
  },
  hints: {
    auth: "Check `server`, and `token` or `user` and `password`; somebody else may have reserved the topic.",
  },
  verification: {
    probesAddressOnly: true,
    request: ({ server }) => ({ url: `${server}/v1/health` }),
    classifyReply: requireField("ntfy", "healthy", "boolean"),
  },
});
