import { DeliveryError, type FailureReason, readErrno } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { Mail, MailPort, MailServer } from "../core/ports.ts";
import { tlsOptions } from "./tls.ts";

/**
 * Pause after a temporary failure (4yz), milliseconds: one minute. SMTP has no field for a retry time. A server that
 * defers a mail would also defer an immediate retry: RFC 5321 section 4.5.4.1
 */
const temporaryFailurePauseMs = 60_000;

/** Longest time for each step (connection, first reply, later replies), milliseconds. */
const stepTimeoutMs = 10_000;

/** Creates the mail port on nodemailer. Loads nodemailer on first use. Each mail has its own connection. */
export function createMail(): MailPort {
  return {
    send: (server, mail, signal) => withTransport(server, signal, (transport) => transport.sendMail(envelope(mail))),
    verify: (server, signal) => withTransport(server, signal, (transport) => transport.verify()),
  };
}

async function withTransport(
  server: MailServer,
  signal: AbortSignal,
  act: (transport: Awaited<ReturnType<typeof open>>) => Promise<unknown>,
): Promise<void> {
  const transport = await open(server);
  const name = `${server.host}:${server.port}`;
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new DeliveryError("timeout", `${name} did not answer in time`));
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    await Promise.race([act(transport), aborted]);
  } catch (error) {
    throw error instanceof DeliveryError ? error : mailError(name, error);
  } finally {
    signal.removeEventListener("abort", stop);
    transport.close();
  }
}

async function open({ host, port, security, user, password, ca }: MailServer) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(user !== undefined && { auth: { user, pass: password ?? "" } }),
    tls: await tlsOptions(ca),
    name: "[127.0.0.1]", // hides this machine's name from the server
    connectionTimeout: stepTimeoutMs,
    greetingTimeout: stepTimeoutMs,
    socketTimeout: stepTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Converts a mail to nodemailer's format. The subject is the only header with event text, and has no line break. */
function envelope({ from, to, subject, text, id, thread, urgent }: Mail) {
  // Mail programs group mails that refer to the same mail, even if that mail does not exist: RFC 5256, `REFERENCES`
  const root = thread === undefined ? undefined : `<${thread}@beckon.invalid>`;
  return {
    from,
    to: [...to],
    text,
    messageId: `<${id}@beckon.invalid>`,
    ...omitUndefined({
      inReplyTo: root,
      references: root,
      priority: urgent ? ("high" as const) : undefined,
    }),
    headers: {
      // nodemailer leaves text that looks like an encoded word, and mail programs would decode it.
      Subject: { prepared: true, value: encodedWords(subject.replace(/\s+/g, " ")) },
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
    },
  };
}

/** Encodes a header value. Short ASCII stays unchanged; other text becomes encoded words (RFC 2047), one per line. */
function encodedWords(text: string): string {
  if (/^[\x20-\x7e]{0,60}$/.test(text) && !text.includes("=?")) return text;
  const words: string[] = [];
  let word = "";
  for (const character of text) {
    // 45 bytes become 60 characters of base64; an encoded word may have 75 characters.
    if (Buffer.byteLength(word + character) > 45) {
      words.push(word);
      word = "";
    }
    word += character;
  }
  return [...words, word].map((each) => `=?UTF-8?B?${Buffer.from(each).toString("base64")}?=`).join("\r\n ");
}

/**
 * Creates the error for a failed mail. A 4yz reply is temporary, a 5yz reply is permanent (RFC 5321 section 4.2.1). The
 * server's text is left out, because it may contain mail addresses.
 */
function mailError(name: string, error: unknown): DeliveryError {
  const { responseCode, code = readErrno(error) } = error as { responseCode?: unknown; code?: string };
  // A rejected STARTTLS also has a reply code, but that code says nothing about the mail.
  const replyCode = typeof responseCode === "number" && code !== "ETLS" ? responseCode : undefined;
  const what = replyCode === undefined ? `could not be used (${code ?? "unknown"})` : `answered ${replyCode}`;
  const reason = replyCode === undefined ? reasonForErrorCode(code) : reasonForReplyCode(replyCode);
  const isDeferred = replyCode !== undefined && reason === "unavailable";
  const retryAfterMs = isDeferred ? temporaryFailurePauseMs : undefined;
  return new DeliveryError(reason, `${name} ${what}`, omitUndefined({ hint: hints[reason], retryAfterMs }));
}

function reasonForReplyCode(code: number): FailureReason {
  if (code === 530 || code === 534 || code === 535) return "auth";
  return code >= 500 ? "rejected" : "unavailable";
}

/** Maps nodemailer's error codes to failure reasons: https://nodemailer.com/errors */
function reasonForErrorCode(code: string | undefined): FailureReason {
  if (code === "EAUTH" || code === "ENOAUTH") return "auth";
  if (code === "ETIMEDOUT") return "timeout";
  if (code === "EENVELOPE" || code === "EMESSAGE" || code === "ECONFIG") return "rejected";
  return "unavailable";
}

const hints: Partial<Record<FailureReason, string>> = {
  auth: "Check `user` and `password`; many providers require an app password.",
  rejected: "Check `from` and `to`: the server refuses one of the addresses.",
  unavailable: "Check `host`, `port` and `security`: port 465 is for `tls`, 587 for `starttls`.",
};
