import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { DeliveryError } from "../../src/core/errors.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import type { HttpPort, HttpReply } from "../../src/core/http-port.ts";
import type { Ports } from "../../src/core/ports.ts";
import { createClock } from "../../src/io/clock.ts";
import { createFiles } from "../../src/io/files.ts";
import { listen } from "../world/listen.ts";

export interface Loopback {
  readonly origin: string;
  /** Received requests, oldest first. */
  readonly requests: { readonly url: URL; readonly authorization: string | undefined }[];
}

/** Starts a server on this machine for the length of one test. */
export async function serve(answer: (url: URL, response: ServerResponse) => void): Promise<Loopback> {
  const requests: Loopback["requests"] = [];
  const server = createServer((incoming: IncomingMessage, response) => {
    const url = new URL(incoming.url ?? "/", "http://loopback");
    requests.push({ url, authorization: incoming.headers.authorization });
    answer(url, response);
  });
  return { origin: `http://${await listen(server)}`, requests };
}

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** `HttpPort` with the minimum that a real connection needs. */
const http: HttpPort = {
  send: ({ url, method = "GET", headers = {}, body, signal, maxReplyBytes = 65_536 }) =>
    new Promise<HttpReply>((resolve, reject) => {
      const { origin } = new URL(url);
      const fail = (): void =>
        reject(new DeliveryError(signal.aborted ? "timeout" : "unavailable", `${origin} cannot be reached`));
      const outgoing = request(url, { method, headers, signal, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", fail);
        response.on("end", () => {
          const status = response.statusCode ?? 0;
          if (status >= 300 && status < 400) return reject(new DeliveryError("redirect", `${origin} redirects`));
          const whole = Buffer.concat(chunks);
          const body = whole.subarray(0, maxReplyBytes).toString("utf8");
          const cut = whole.length > maxReplyBytes && { truncated: true as const };
          resolve({ status, headers: response.headers as Record<string, string>, body, ...cut });
        });
      });
      outgoing.on("error", fail);
      outgoing.end(body);
    }),
  post: () => Promise.reject(new Error("no lookup posts")),
};

function unwanted(): never {
  throw new Error("no lookup uses this");
}

/** Ports for lookups: the ports that lookups use are real, and the others refuse. */
export const ports: Ports = {
  http,
  files: createFiles(),
  exec: { run: unwanted, which: unwanted, driver: unwanted },
  desktop: {
    obstacle: unwanted,
    notify: unwanted,
    close: unwanted,
    isListening: unwanted,
    unproven: unwanted,
    problem: unwanted,
  },
  mail: { send: unwanted, verify: unwanted },
  speech: { obstacle: unwanted, say: unwanted },
  terminal: { of: unwanted, here: unwanted },
  sound: { obstacle: unwanted, play: unwanted },
  clock: createClock(),
  host: { elsewhere: unwanted },
  presence: { ask: unwanted, prepare: unwanted, typedAtMs: unwanted, noticesKeys: unwanted, findInTerminals: unwanted },
  focus: { focus: unwanted },
  relay: { send: unwanted, sendStates: unwanted },
};

export function makeEvent(fields: Partial<AgentEvent>): AgentEvent {
  return {
    id: "e1",
    atMs: 0,
    event: "Stop",
    nativeEvent: "Stop",
    agent: "droid",
    kind: "finished",
    project: "shop",
    extra: {},
    ...fields,
  };
}
