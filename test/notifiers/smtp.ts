import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A received mail, byte by byte. */
export interface Arrived {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  /** True if the connection was encrypted. */
  readonly secure: boolean;
  readonly user: string | undefined;
}

export interface Smtp {
  readonly port: number;
  readonly mails: Arrived[];
  /** File of the server's certificate. */
  readonly caFile: string;
  close(): Promise<void>;
}

/** Error with which the server refuses a mail at one step. */
export interface Refused {
  readonly at: "RCPT" | "DATA";
  readonly code: number;
}

/** Makes a key and a certificate for 127.0.0.1 in a folder, with openssl. */
export function makeCertificate(folder: string): { readonly key: string; readonly cert: string } {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const out = ["-keyout", key, "-out", cert, "-days", "2", "-nodes"];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", ...out, ...subject],
    { stdio: "ignore" },
  );
  return { key, cert };
}

/** Starts a real SMTP server on loopback that accepts `me` with `password`, over STARTTLS or TLS. */
export async function startSmtp(
  certificate: { readonly key: string; readonly cert: string },
  password: string,
  { refusals = [], ...options }: SMTPServerOptions & { readonly refusals?: readonly Refused[] } = {},
): Promise<Smtp> {
  const mails: Arrived[] = [];
  const left = [...refusals];
  const refusal = (at: Refused["at"]): Error | undefined => {
    if (left[0]?.at !== at) return undefined;
    const { code } = left.shift() as Refused;
    return Object.assign(new Error(`no, said the server to ${password}`), { responseCode: code });
  };
  const server = new SMTPServer({
    key: readFileSync(certificate.key),
    cert: readFileSync(certificate.cert),
    onAuth: ({ username, password: given }, _, done) =>
      username === "me" && given === password
        ? done(null, { user: username })
        : done(Object.assign(new Error(`wrong: ${given}`), { responseCode: 535 })),
    onRcptTo: (_, __, done) => done(refusal("RCPT")),
    onData(stream, { envelope, secure, user }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const error = refusal("DATA");
        if (error) return done(error);
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({
          from,
          to,
          raw: Buffer.concat(chunks).toString("latin1"),
          secure,
          user: user as string | undefined,
        });
        done();
      });
    },
    ...options,
  });
  server.on("error", () => {}); // clients hang up, as they should
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    mails,
    caFile: certificate.cert,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
