import * as z from "zod";
import { defineHttpNotifier } from "../core/http-notifier.ts";
import { escapeHtml, jsonForm } from "../core/markup.ts";
import { isSuccess, jsonOf, notFrom } from "../core/reply.ts";
import { secret } from "../core/secret.ts";
import { serverAddress } from "../core/server-address.ts";

const urgency = { "needs-you": "m.text", failed: "m.text", finished: "m.text", info: "m.notice" } as const;
/** A text stands in an event twice: plain, and as HTML. */
const countedAs = (text: string) => jsonForm(text) + jsonForm(escapeHtml(text));

/** A Matrix room. `m.mentions` is empty: nobody is mentioned, whatever the text says. */
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
      .describe("The room's internal id, `!…`; the user must be in it."),
  }),
  example: { server: "https://matrix.example.org", token: "${env:MATRIX_TOKEN}", roomId: "!abc:example.org" },
  budgetMs: 10_000,
  // 65,536 bytes for the whole event.
  limits: { unit: "bytes", title: 1_000, body: 40_000, countedAs },
  plainer: { unit: "bytes", title: 300, body: 2_000, countedAs },
  urgency,
  request({ settings: { server, token, roomId }, message: { id, title, body, kind }, plain }) {
    const html = [`<strong>${escapeHtml(title)}</strong>`, escapeHtml(body).replaceAll("\n", "<br>")];
    const formatted = { format: "org.matrix.custom.html", formatted_body: html.filter(Boolean).join("<br>") };
    const payload = {
      msgtype: urgency[kind],
      body: [title, body].filter(Boolean).join("\n"),
      ...(!plain && formatted),
      "m.mentions": {},
    };
    return {
      // The event's id as transaction id: a second attempt is the same message.
      url: `${server}/_matrix/client/v3/rooms/${encodeURIComponent(roomId)}/send/m.room.message/${encodeURIComponent(id)}`,
      method: "PUT",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(payload),
    };
  },
  judge: (reply) =>
    isSuccess(reply) && typeof jsonOf(reply)?.["event_id"] !== "string" ? notFrom("Matrix") : undefined,
  probe: {
    request: ({ server, token }) => ({
      url: `${server}/_matrix/client/v3/account/whoami`,
      method: "GET",
      headers: { authorization: `Bearer ${token}` },
    }),
    judge: (reply) =>
      isSuccess(reply) && typeof jsonOf(reply)?.["user_id"] !== "string" ? notFrom("Matrix") : undefined,
  },
});
