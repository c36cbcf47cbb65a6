import * as z from "zod";
import { parseReply } from "../core/http-port.ts";
import type { Message } from "../core/message.ts";
import { secret } from "../core/secret.ts";
import { type ChangeRule, defineHttpNotifier } from "./shared/http-notifier.ts";
import { jsonForm, titleAndBody } from "./shared/markup.ts";
import { requireField } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/settings.ts";

const urgency = { "needs-you": "m.text", failed: "m.text", finished: "m.text", info: "m.notice" } as const;

const settingsSchema = z.object({
  server: serverAddress.describe("Address of the homeserver."),
  token: secret(z.string().min(1)).describe("Access token of the user who posts."),
  roomId: z
    .string()
    .regex(/^![^\s]{1,254}$/, "must be the internal id of a room, `!…`")
    .refine((id) => id.isWellFormed(), "must be valid Unicode")
    .describe("Internal id of the room, `!…`; the user must have joined it."),
});
type Settings = z.output<typeof settingsSchema>;

/** Builds the content of a message, without mentions. */
const buildContent = (message: Message) => ({
  msgtype: urgency[message.kind],
  body: titleAndBody(message),
  "m.mentions": {},
});

/** Builds a request that sends an event to a room. The server handles a transaction id only once. */
const sendEvent = ({ server, token }: Settings, roomId: string, transactionId: string, content: object) => ({
  url: `${server}/_matrix/client/v3/rooms/${encodeURIComponent(roomId)}/send/m.room.message/${encodeURIComponent(transactionId)}`,
  method: "PUT" as const,
  headers: { authorization: `Bearer ${token}` },
  body: JSON.stringify(content),
});

const eventId = z.string().regex(/^\$[\x21-\x7e]{1,254}$/);
/** Receipt of a message: its first event, which all edits refer to, and its room. */
const receiptSchema = z.object({ eventId, roomId: settingsSchema.shape.roomId });

/**
 * Replaces the text of a message with a new event. Servers send no notification for an edit (push rule
 * `.m.rule.suppress_edits`).
 * https://spec.matrix.org/latest/client-server-api/#event-replacements
 */
const edit: ChangeRule<Settings> = {
  request({ settings, message, isFallback, ports, receipt }) {
    const sent = receiptSchema.safeParse(receipt).data;
    if (!sent) return undefined;
    const content = {
      ...buildContent(message),
      // Clients that do not support edits show this body. It is short, because `m.new_content` has the whole text.
      body: `* ${message.title}`,
      "m.new_content": buildContent(message),
      "m.relates_to": { rel_type: "m.replace", event_id: sent.eventId },
    };
    // Each attempt has a new id, or the server would ignore an edit that returns to an earlier text.
    const transactionId = `${sent.eventId}-${ports.clock.now()}${isFallback ? "-fallback" : ""}`;
    return sendEvent(settings, sent.roomId, transactionId, content);
  },
  // Synapse rejects edits of unknown events. It accepts edits of redacted events but does not show them.
  isGone(reply) {
    const { errcode, error } = parseReply(reply) ?? {};
    if (reply.status === 404) return errcode === "M_NOT_FOUND";
    return reply.status === 400 && /^Can't send relation to unknown event/.test(String(error));
  },
};

/**
 * Notifier for a Matrix room. `m.mentions` is empty, so it mentions nobody. It sends plain text, which clients show
 * unchanged. In HTML, clients would collapse white space.
 */
export const matrix = defineHttpNotifier({
  name: "matrix",
  summary: "Posts to a Matrix room.",
  source: "https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid",
  guide: async () => ({
    where: {
      server: "In Element: All settings → Help & About shows it.",
      token: "In Element: All settings → Help & About → Access Token.",
      roomId: "In Element: Room info → Settings → Advanced → Internal room ID.",
    },
  }),
  audience: "team",
  settings: settingsSchema,
  example: { server: "https://matrix.example.org", token: "${env:MATRIX_TOKEN}", roomId: "!abc:example.org" },
  // The whole event may have 65,536 bytes, including what the server adds.
  limits: { unit: "bytes", title: 1_000, body: 56_000, countedAs: jsonForm },
  fallbackLimits: { unit: "bytes", title: 300, body: 2_000, countedAs: jsonForm },
  urgency,
  lifecycle: { withdrawn: "marked as done", knowsIds: true },
  request({ settings, message, isFallback }) {
    // All attempts use the same id, so that only one message is posted. The fallback has other content and its own id.
    const transactionId = isFallback ? `${message.id}-fallback` : message.id;
    return sendEvent(settings, settings.roomId, transactionId, buildContent(message));
  },
  receipt: (reply, { settings: { roomId } }) =>
    receiptSchema.safeParse({ eventId: parseReply(reply)?.["event_id"], roomId }).data,
  edit,
  classifyReply: requireField("Matrix", "event_id"),
  hints: {
    auth: "Check `server`, `token` and `roomId`; the user must have joined the room and be allowed to post there.",
  },
  verification: {
    request: ({ server, token }) => ({
      url: `${server}/_matrix/client/v3/account/whoami`,
      headers: { authorization: `Bearer ${token}` },
    }),
    classifyReply: requireField("Matrix", "user_id"),
  },
});
