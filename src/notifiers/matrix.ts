import * as z from "zod";
import { bearer } from "../core/authorization.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { jsonForm } from "./shared/markup.ts";
import { provenBy } from "./shared/reply-rules.ts";
import { secret } from "../core/secret.ts";
import { serverAddress } from "./shared/server-address.ts";

const urgency = { "needs-you": "m.text", failed: "m.text", finished: "m.text", info: "m.notice" } as const;

/**
 * A Matrix room. `m.mentions` is empty: nobody is mentioned, whatever the text says. No HTML: clients would fold its
 * white space, and plain text is shown as it is.
 */
export const matrix = defineHttpNotifier({
  name: "matrix",
  summary: "Posts to a Matrix room, as a user of yours.",
  source: "https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid",
  settings: z.object({
    server: serverAddress.describe("Your homeserver's address."),
    token: secret(z.string().min(1)).describe("The user's access token."),
    roomId: z
      .string()
      .regex(/^![^\s]{1,254}$/, "must be a room's internal id, `!…`")
      .refine((id) => id.isWellFormed(), "must be text")
      .describe("The room's internal id, `!…`; the user must be in it."),
  }),
  example: { server: "https://matrix.example.org", token: "${env:MATRIX_TOKEN}", roomId: "!abc:example.org" },
  budgetMs: 10_000,
  // 65,536 bytes for the whole event, with what servers add to it.
  limits: { unit: "bytes", title: 1_000, body: 56_000, countedAs: jsonForm },
  plainer: { unit: "bytes", title: 300, body: 2_000, countedAs: jsonForm },
  urgency,
  request({ settings: { server, token, roomId }, message: { id, title, body, kind }, plain }) {
    // The same for every attempt, so that a second one makes no second message; another text needs another.
    const transactionId = plain ? `${id}-plain` : id;
    const payload = { msgtype: urgency[kind], body: [title, body].filter(Boolean).join("\n"), "m.mentions": {} };
    return {
      url: `${server}/_matrix/client/v3/rooms/${encodeURIComponent(roomId)}/send/m.room.message/${transactionId}`,
      method: "PUT",
      headers: { authorization: bearer(token) },
      body: JSON.stringify(payload),
    };
  },
  judge: provenBy("Matrix", "event_id"),
  hints: { auth: "Check `server`, `token` and `roomId`; the user must have joined the room and may write there." },
  probe: {
    request: ({ server, token }) => ({
      url: `${server}/_matrix/client/v3/account/whoami`,
      method: "GET",
      headers: { authorization: bearer(token) },
    }),
    judge: provenBy("Matrix", "user_id"),
  },
});
