import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Receiver {
  readonly url: string;
  /** Every request that came in, refused ones too. */
  readonly received: Received[];
  /** Requests that were answered with 2xx. */
  readonly accepted: Received[];
  close(): Promise<void>;
}

/** A real HTTP server that gives the answers of `script` in turn and then the last one for ever; 200 by default. */
export async function startReceiver(script: readonly Answer[] = [{ status: 200 }], port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const accepted: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const answer = script[Math.min(received.length, script.length - 1)] ?? { status: 200 };
      const one = { headers: request.headers, body: Buffer.concat(chunks).toString(), atMs: Date.now() };
      received.push(one);
      if (answer.status < 300) accepted.push(one);
      response.writeHead(answer.status, answer.headers).end(answer.body ?? "ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`,
    received,
    accepted,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
