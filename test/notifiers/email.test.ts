import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import fc from "fast-check";
import PostalMime, { type Email } from "postal-mime";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { createMail } from "../../src/io/mail.ts";
import { email } from "../../src/notifiers/email.ts";
import { cleanLine } from "../../src/text/clean.ts";
import { catchDeliveryError } from "../world/catch-delivery-error.ts";
import { listen } from "../world/listen.ts";
import { localCall } from "../world/local-call.ts";
import { makeMessage } from "./contract/way.ts";
import { makeCertificate, type Smtp, startSmtp } from "./smtp.ts";

const password = "cAnArY4711cAnArY4711";

let folder: string;
let certificate: { readonly key: string; readonly cert: string };
let smtp: Smtp;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "beckon-mail-"));
  certificate = makeCertificate(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const start = async (options: Parameters<typeof startSmtp>[2] = {}): Promise<void> => {
  await smtp?.close();
  smtp = await startSmtp(certificate, password, options);
};
beforeEach(() => start());
afterAll(() => smtp?.close());

function call(message: Partial<Message> = {}, more: object = {}, signal?: AbortSignal) {
  const raw = {
    host: "127.0.0.1",
    port: smtp.port,
    user: "me",
    password,
    from: "me@example.org",
    to: "you@example.org",
  };
  const settings = email.settings.parse({ ...raw, ca: smtp.caFile, ...more });
  const local = localCall(settings, {}, message);
  return { ...local, ports: { ...local.ports, mail: createMail() }, ...(signal && { signal }) };
}

describe("a mail through a real server", () => {
  test("is sent encrypted after a login, as plain text with a subject", async () => {
    await email.send(call({ title: "shop needs you", body: "May I?\nReally." }));
    const [mail] = smtp.mails;
    expect(mail).toMatchObject({ from: "me@example.org", to: ["you@example.org"], secure: true, user: "me" });
    const parsed = await PostalMime.parse(mail?.raw ?? "");
    expect(parsed).toMatchObject({ subject: "shop needs you", messageId: "<evt_01@beckon.invalid>" });
    expect(parsed.text).toContain("May I?\nReally.");
    expect(parsed.text).toContain("-- \nAgent: droid\nProject: shop\nFolder: /code/shop");
    expect(parsed.html).toBeUndefined();
    expect(mail?.raw).not.toContain("localhost");
  });

  test.each([
    ["needs-you", "high"],
    ["failed", "high"],
    ["finished", undefined],
    ["info", undefined],
  ] as const)("for %s has the importance %s", async (kind, importance) => {
    await email.send(call({ kind }));
    const { headers } = await PostalMime.parse(smtp.mails[0]?.raw ?? "");
    expect(headers.find(({ key }) => key === "importance")?.value.toLowerCase()).toBe(importance);
  });

  describe("of a session", () => {
    const [firstKey, other] = ["a".repeat(32), "b".repeat(32)] as const;

    /** Sends three mails of one session and one of another. Returns the received mails. */
    async function sendFour(settings: object) {
      for (const [index, key] of [firstKey, firstKey, firstKey, other].entries()) {
        const title = `shop · Claude Code ${["needs you", "is done", "failed", "needs you"][index]}`;
        await email.send({ ...call({ id: `evt_${index}`, sessionId: "s-4711", title }, settings), thread: { key } });
      }
      expect(smtp.mails.map(({ raw }) => raw).join("")).not.toContain("s-4711");
      return Promise.all(smtp.mails.map(({ raw }) => PostalMime.parse(raw)));
    }

    test("replies to the same mail as all others of its session, and no other session's", async () => {
      const mails = await sendFour({});
      const roots = [firstKey, firstKey, firstKey, other].map((key) => `<${key}@beckon.invalid>`);
      expect(mails.map(({ inReplyTo }) => inReplyTo)).toEqual(roots);
      expect(mails.map(({ references }) => references)).toEqual(roots);
      expect(new Set([...mails.map(({ messageId }) => messageId), ...roots]).size).toBe(6);
    });

    /**
     * Counts the Gmail conversations of some mails:
     * https://workspaceupdates.googleblog.com/2019/03/threading-changes-in-gmail-conversation-view.html
     */
    const conversations = (mails: readonly Email[]): number =>
      new Set(mails.map(({ subject, references }) => JSON.stringify([subject, references]))).size;

    test.each([
      ["title", 4],
      ["session", 2],
    ])("with the subject %s gives Gmail %i conversations of four mails of two sessions", async (subject, count) => {
      expect(conversations(await sendFour({ subject }))).toBe(count);
    });

    test("begins with the title if the session has one subject", async () => {
      const [mail] = await sendFour({ subject: "session" });
      expect(mail?.subject).toBe("shop · droid");
      expect(mail?.text).toMatch(/^shop · Claude Code needs you\n\nDroid wants to run/);
    });
  });

  test("without a session, such as a test message, is in no thread, and no mail can be changed", async () => {
    expect(await email.send(call())).toBeUndefined();
    expect(smtp.mails[0]?.raw).not.toMatch(/^(References|In-Reply-To):/im);
    expect([email.update, email.withdraw]).toEqual([undefined, undefined]);
  });

  test("is encrypted from the first byte with `tls`", async () => {
    await start({ secure: true });
    await email.send(call({}, { security: "tls" }));
    expect(smtp.mails).toMatchObject([{ secure: true }]);
  });

  test("is not sent if the server offers no encryption, not even the user name", async () => {
    await start({ disabledCommands: ["STARTTLS"], allowInsecureAuth: true });
    expect((await catchDeliveryError(email.send(call()))).reason).toBe("unavailable");
    expect(smtp.mails).toEqual([]);
  });

  test.each(["1", "0"])("is not sent to an unknown server, NODE_TLS_REJECT_UNAUTHORIZED=%s", async (checks) => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", checks);
    const { settings, ...rest } = call();
    const { ca: _, ...trusting } = settings;
    const error = await catchDeliveryError(email.send({ ...rest, settings: trusting }));
    expect(error.reason).toBe("unavailable");
    expect(smtp.mails).toEqual([]);
  });

  test("is not sent without encryption to another machine", async () => {
    const error = await catchDeliveryError(email.send(call({}, { security: "none", host: "mail.example.org" })));
    expect(error).toMatchObject({ reason: "rejected", hint: expect.stringContaining("starttls") });
  });

  test.each([
    [451, "DATA", "unavailable"],
    [450, "RCPT", "unavailable"],
    [421, "DATA", "unavailable"],
    [550, "RCPT", "rejected"],
    [554, "DATA", "rejected"],
    [530, "DATA", "auth"],
  ] as const)("rejected with %i at %s fails as %s, and then is sent", async (code, at, reason) => {
    await start({ refusals: [{ at, code }] });
    const error = await catchDeliveryError(email.send(call()));
    const wait = reason === "unavailable" && { retryAfterMs: 60_000 };
    expect(error).toMatchObject({ reason, message: `127.0.0.1:${smtp.port} answered ${code}`, ...wait });
    expect(inspect(error)).not.toContain(password);
    await email.send(call());
    expect(smtp.mails).toHaveLength(1);
  });

  test("needs the right password, which can be checked without a mail", async () => {
    await email.verification?.probe?.(call());
    const error = await catchDeliveryError(
      Promise.resolve(email.verification?.probe?.(call({}, { password: `${password}x` }))),
    );
    expect(error).toMatchObject({ reason: "auth", hint: expect.stringContaining("password") });
    expect(inspect(error)).not.toContain(password);
    expect(smtp.mails).toEqual([]);
  });

  // A separate time limit would be ten seconds.
  test("to a silent server is stopped at the deadline", { timeout: 9_000 }, async () => {
    const { port } = new URL(`smtp://${await listen(createServer())}`);
    const error = await catchDeliveryError(email.send(call({}, { port: Number(port) }, AbortSignal.timeout(200))));
    expect(error).toMatchObject({ reason: "timeout" });
  });

  test("with any text has no header made of it, and arrives with that text", async () => {
    const part = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(
        "\r\nBcc: evil@example.org\r\n\r\n",
        "\n.\n",
        "=?utf-8?B?eA==?=",
        "<b>&amp;",
        "=41=\n",
        "👩‍👩‍👧‍👦 Zażółć עברית\u200f",
        "x".repeat(2_000),
      ),
    );
    const read = async (words: string): Promise<void> => {
      const message = makeMessage(email.limits, { title: words, body: words });
      await email.send(call(message));
      const mail = smtp.mails.at(-1);
      const parsed = await PostalMime.parse(mail?.raw ?? "");
      expect(parsed.to?.map(({ address }) => address)).toEqual(["you@example.org"]);
      expect(parsed.bcc ?? []).toEqual([]);
      expect(mail?.to).toEqual(["you@example.org"]);
      expect(parsed.subject).toBe(message.title);
      const [text] = (parsed.text ?? "").split("\n\n-- \n");
      expect(text).toBe(message.body);
      expect(mail?.raw.split(/\r\n/).every((line) => line.length <= 998)).toBe(true);
      if (message.title.endsWith("…")) expect(cleanLine(words).startsWith(message.title.slice(0, -1))).toBe(true);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), (parts) => read(parts.join(""))),
      { numRuns: 60 },
    );
    await read("a".repeat(1_000_000));
  });
});
