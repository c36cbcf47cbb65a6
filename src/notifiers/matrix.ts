import * as z from "zod";
import { secret } from "../core/secret.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { jsonForm } from "./shared/markup.ts";
import { titleAndBody } from "./shared/message-text.ts";
import { requireField } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/server-address.ts";

const urgency = { "needs-you": "m.text", failed: "m.text", finished: "m.text", info: "m.notice" } as const;

/**
 * Notifier for a Matrix room. It mentions nobody, since `m.mentions` is empty. It sends plain text, which clients show
 * unchanged; in HTML they would collapse white space.
 */
export const matrix = defineHttpNotifier({
  name: "matrix",
  summary: "Posts to a Matrix room, as a user you choose.",
  source: "https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid",
  audience: "team",
  settings: z.object({
    server: serverAddress.describe("The homeserver's address."),
    token: secret(z.string().min(1)).describe("The access token of the user who posts."),
    roomId: z
      .string()
      .regex(/^![^\s]{1,254}$/, "must be the internal id of a room, `!…`")
      .refine((id) => id.isWellFormed(), "must be valid Unicode")
      .describe("The room's internal id, `!…`; the user must have joined the room."),
  }),
  example: { server: "https://matrix.example.org", token: "${env:MATRIX_TOKEN}", roomId: "!abc:example.org" },
  // 65,536 bytes for the whole event, including what servers add to it.
  limits: { unit: "bytes", title: 1_000, body: 56_000, countedAs: jsonForm },
  fallbackLimits: { unit: "bytes", title: 300, body: 2_000, countedAs: jsonForm },
  urgency,
  request({ settings: { server, token, roomId }, message, isFallback }) {
    // The same for every attempt, so that a repeated one posts no second message; the fallback is another message.
    const transactionId = isFallback ? `${message.id}-fallback` : message.id;
    const payload = { msgtype: urgency[message.kind], body: titleAndBody(message), "m.mentions": {} };
    return {
      url: `${server}/_matrix/client/v3/rooms/${encodeURIComponent(roomId)}/send/m.room.message/${transactionId}`,
      method: "PUT",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(payload),
    };
  },
  classifyReply: requireField("Matrix", "event_id"),
  hints: {
    auth: "Check `server`, `token` and `roomId`; the user must have joined the room and be allowed to post there.",
  },
  probe: {
    request: ({ server, token }) => ({
      url: `${server}/_matrix/client/v3/account/whoami`,
      headers: { authorization: `Bearer ${token}` },
    }),
    classifyReply: requireField("Matrix", "user_id"),
  },
});
