import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AgentEvent } from "../../src/core/event.ts";
import { listen } from "../world/listen.ts";
import { localPorts } from "../world/local-ports.ts";

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

/** Real ports, as lookups get them. */
export const ports = localPorts();

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
