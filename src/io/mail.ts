import { readFile } from "node:fs/promises";
import { DeliveryError, errnoOf, type FailureReason } from "../core/errors.ts";
import type { Mail, MailPort, MailServer } from "../core/mail-port.ts";

/** SMTP has no way to say when to come back, and who comes back at once is put off again: RFC 5321 section 4.5.4.1 */
const politeMs = 60_000;

/** Most a server may take for one step: to connect, to greet, to answer. */
const stepMs = 10_000;

/** Sends mail through nodemailer, which is loaded when it is first needed. One connection a mail, closed afterwards. */
export function createMail(): MailPort {
  return {
    send: (server, mail, signal) => withTransport(server, signal, (transport) => transport.sendMail(envelope(mail))),
    verify: (server, signal) => withTransport(server, signal, (transport) => transport.verify()),
  };
}

type Transport = Awaited<ReturnType<typeof open>>;

async function withTransport(
  server: MailServer,
  signal: AbortSignal,
  act: (transport: Transport) => Promise<unknown>,
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

async function open({ host, port, security, user, password, caFile }: MailServer) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(user !== undefined && { auth: { user, pass: password ?? "" } }),
    ...(caFile !== undefined && { tls: { ca: await readCertificates(caFile) } }),
    // Not this machine's name: it is nobody's business.
    name: "[127.0.0.1]",
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

async function readCertificates(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new DeliveryError("rejected", `the certificates cannot be read (${errnoOf(error) ?? "unknown"})`, {
      hint: "Check `caFile`.",
    });
  }
}

/** Plain text alone. No header but the subject holds event text, and that no line end. */
function envelope({ from, to, subject, text, id, thread, urgent }: Mail) {
  return {
    from,
    to: [...to],
    text,
    messageId: `<${id}@beckon.invalid>`,
    ...(thread !== undefined && { references: `<${thread}@beckon.invalid>` }),
    ...(urgent && { priority: "high" as const }),
    headers: {
      // nodemailer would leave a subject alone that only looks like an encoded word, and readers would decode it.
      Subject: { prepared: true, value: encodedWords(subject.replace(/\s+/g, " ")) },
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
    },
  };
}

/** A text as a header's value: as it is if it is short, plain ASCII; else as encoded words (RFC 2047), one a line. */
function encodedWords(text: string): string {
  if (/^[\x20-\x7e]{0,60}$/.test(text) && !text.includes("=?")) return text;
  const words: string[] = [];
  let word = "";
  for (const character of text) {
    // 45 bytes are 60 characters of base64; an encoded word has at most 75.
    if (Buffer.byteLength(word + character) > 45) {
      words.push(word);
      word = "";
    }
    word += character;
  }
  return [...words, word].map((each) => `=?UTF-8?B?${Buffer.from(each).toString("base64")}?=`).join("\r\n ");
}

/** RFC 5321 section 4.2.1: 4yz may pass, 5yz will not. What the server wrote is not repeated: it quotes addresses. */
function mailError(name: string, error: unknown): DeliveryError {
  const { responseCode, code = errnoOf(error) } = error as { responseCode?: unknown; code?: string };
  // What STARTTLS was refused with says nothing about the mail.
  const reply = typeof responseCode === "number" && code !== "ETLS" ? responseCode : undefined;
  const said = reply === undefined ? `could not be used (${code ?? "unknown"})` : `answered ${reply}`;
  const reason = reply === undefined ? reasonOfCode(code) : reasonOfReply(reply);
  const hint = hints[reason];
  const wait = reply !== undefined && reason === "unavailable" && { retryAfterMs: politeMs };
  return new DeliveryError(reason, `${name} ${said}`, { ...(hint !== undefined && { hint }), ...wait });
}

function reasonOfReply(code: number): FailureReason {
  if (code === 530 || code === 534 || code === 535) return "auth";
  return code >= 500 ? "rejected" : "unavailable";
}

/** https://nodemailer.com/errors */
function reasonOfCode(code: string | undefined): FailureReason {
  if (code === "EAUTH" || code === "ENOAUTH") return "auth";
  if (code === "ETIMEDOUT") return "timeout";
  if (code === "EENVELOPE" || code === "EMESSAGE" || code === "ECONFIG") return "rejected";
  return "unavailable";
}

const hints: Partial<Record<FailureReason, string>> = {
  auth: "Check `user` and `password`; many providers want a password made for one application.",
  rejected: "Check `from` and `to`: the server takes no mail from or for one of them.",
  unavailable: "Check `host`, `port` and `security`: 465 is `tls`, 587 is `starttls`.",
};
