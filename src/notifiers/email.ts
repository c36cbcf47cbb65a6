import * as z from "zod";
import { DeliveryError } from "../core/errors.ts";
import { isLoopback } from "../core/http-port.ts";
import type { Limits, Message } from "../core/message.ts";
import { defineNotifier } from "../core/notifier.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { MailServer } from "../core/ports.ts";
import { secret } from "../core/secret.ts";
import { cut } from "../text/cut.ts";
import { certificateFile } from "./shared/settings.ts";

const address = z.email("must be an email address");

const settingsSchema = z.object({
  host: z
    .string()
    .regex(/^[A-Za-z0-9.:-]+$/, "must be a host name")
    .describe("SMTP server."),
  port: z
    .number()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe("Port of the server. Default: 465 with `tls`, 587 with `starttls`, 25 with `none`."),
  security: z
    .enum(["tls", "starttls", "none"])
    .default("starttls")
    .describe("Encryption: `tls`, `starttls`, or `none` for a server on this machine."),
  user: z.string().min(1).optional().describe("User name; omit if the server needs no login."),
  password: secret(z.string().min(1)).optional().describe("Password of `user`."),
  ca: certificateFile(),
  from: address.describe("Sender."),
  to: z.union([address, z.array(address).min(1)]).describe("Recipient, or a list of recipients."),
  subject: z
    .enum(["title", "session"])
    .default("title")
    .describe("Subject of a mail: the message's `title`, or the same subject for all mails of a `session`."),
});
type Settings = z.output<typeof settingsSchema>;

const limits: Limits = { unit: "graphemes", title: 150, body: 20_000 };
const ports = { tls: 465, starttls: 587, none: 25 } as const;

export const email = defineNotifier({
  name: "email",
  summary: "Sends plain-text mail through an SMTP server.",
  source: "https://www.rfc-editor.org/rfc/rfc5321",
  guide: async () => ({
    where: {
      host: "Your mail provider's help lists it as the SMTP or outgoing server.",
      from: "Usually the address that you log in with.",
      to: "Separate several with commas.",
    },
  }),
  audience: "team",
  settings: settingsSchema,
  usedOnlyWith: { password: "user" },
  example: {
    host: "smtp.example.org",
    user: "me@example.org",
    password: "${env:SMTP_PASSWORD}",
    from: "me@example.org",
    to: "me@example.org",
  },
  budgetMs: 30_000,
  limits,
  lifecycle: { inThread: true, condition: "in Gmail only if `subject` is `session`" },
  urgency: { "needs-you": "high", failed: "high", finished: "normal", info: "normal" },
  reach: "network",
  verification: { probe: ({ settings, ports, signal }) => ports.mail.verify(readServer(settings), signal) },
  async send({ settings, message, thread, origin, ports, signal }) {
    const { id, kind } = message;
    const mail = {
      from: settings.from,
      to: [settings.to].flat(),
      ...formatTexts(message, settings.subject, origin),
      id,
      ...omitUndefined({ thread: thread?.key }),
      urgent: kind === "needs-you" || kind === "failed",
    };
    await ports.mail.send(readServer(settings), mail, signal);
    return undefined; // a mail cannot be changed, and a second mail that says "resolved" would be noise
  },
});

/** Composes subject and text of a mail, with its origin in the footer. */
function formatTexts({ title, body, agent, project }: Message, subject: Settings["subject"], footer: string) {
  if (subject === "title") return { subject: title, text: `${body}\n\n-- \n${footer}\n` };
  const sessionSubject = cut(`${project} · ${agent}`, limits.title, limits.unit);
  return { subject: sessionSubject, text: `${title}\n\n${body}\n\n-- \n${footer}\n` };
}

function readServer({ host, port, security, user, password, ca }: Settings): MailServer {
  if (security === "none" && !isLoopback(host)) {
    throw new DeliveryError("rejected", "mail without encryption is sent only to a server on this machine", {
      hint: "Set `security` to `tls` or `starttls`.",
    });
  }
  return { host, port: port ?? ports[security], security, ...omitUndefined({ user, password, ca }) };
}
