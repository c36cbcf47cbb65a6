import { isAbsolute } from "node:path";
import * as z from "zod";
import { DeliveryError } from "../core/errors.ts";
import type { MailServer } from "../core/mail-port.ts";
import { defineNotifier } from "../core/notifier.ts";
import { present } from "../core/present.ts";
import { secret } from "../core/secret.ts";
import { threadKey } from "../core/thread-key.ts";

const address = z.email("must be a mail address");

const settingsSchema = z.object({
  host: z
    .string()
    .regex(/^[A-Za-z0-9.:-]+$/, "must be a host name")
    .describe("The SMTP server."),
  port: z
    .number()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe("Default: 465 with `tls`, 587 with `starttls`, else 25."),
  security: z
    .enum(["tls", "starttls", "none"])
    .default("starttls")
    .describe("`tls` from the first byte, `starttls` or nothing else, or `none`, on this machine only."),
  user: z.string().min(1).optional().describe("Who logs in. Without it nobody does."),
  password: secret(z.string().min(1)).optional().describe("The password."),
  caFile: z
    .string()
    .refine(isAbsolute, "must be an absolute path")
    .optional()
    .describe("A file of certificates (PEM) to trust instead of the system's, for a server of your own."),
  from: address.describe("The sender."),
  to: z.union([address, z.array(address).min(1)]).describe("Who gets the mail."),
});
type Settings = z.output<typeof settingsSchema>;

const ports = { tls: 465, starttls: 587, none: 25 } as const;
const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

export const email = defineNotifier({
  name: "email",
  summary: "A mail, as plain text, through an SMTP server; those of a session are a thread.",
  source: "https://www.rfc-editor.org/rfc/rfc5321",
  settings: settingsSchema,
  example: {
    host: "smtp.example.org",
    user: "me@example.org",
    password: "${env:SMTP_PASSWORD}",
    from: "me@example.org",
    to: "me@example.org",
  },
  budgetMs: 30_000,
  limits: { unit: "graphemes", title: 150, body: 20_000 },
  urgency: { "needs-you": "high", failed: "high", finished: "normal", info: "normal" },
  reach: "network",
  platforms: "any",
  probe: ({ settings, ports, signal }) => ports.mail.verify(serverOf(settings), signal),
  async send({ settings, message, ports, signal }) {
    const { title, body, id, kind, agent, project, cwd, sessionId } = message;
    const place = [`Agent: ${agent}`, `Project: ${project}`, cwd && `Folder: ${cwd}`].filter(Boolean).join("\n");
    const mail = {
      from: settings.from,
      to: [settings.to].flat(),
      subject: title,
      text: `${body}\n\n-- \n${place}\n`,
      id,
      ...(sessionId !== undefined && { thread: threadKey(sessionId) }),
      urgent: kind === "needs-you" || kind === "failed",
    };
    await ports.mail.send(serverOf(settings), mail, signal);
  },
});

function serverOf({ host, port, security, user, password, caFile }: Settings): MailServer {
  if (security === "none" && !loopback.test(host)) {
    throw new DeliveryError("rejected", "without encryption mail goes to this machine only", {
      hint: "Set `security` to `tls` or `starttls`.",
    });
  }
  return { host, port: port ?? ports[security], security, ...present({ user, password, caFile }) };
}
