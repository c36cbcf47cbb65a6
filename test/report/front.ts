import { createServer } from "node:http";
import { listen } from "../world/listen.ts";
import type { Sandbox } from "../world/service/server.ts";

/** The thirty days up to yesterday, by the sandbox's clock. */
export const period = { startDate: "2026-05-16", endDate: "2026-06-14" };

type Answer = { readonly status: number; readonly body: object };
export type Answers = Readonly<Record<string, Answer | Change>>;
/** Changes the sandbox's reply to a request. */
export type Change = (body: Reply, url: URL) => object;
/** The sandbox's reply to a request for analytics. */
export interface Reply {
  readonly data: readonly { readonly date: string }[];
  readonly meta: Readonly<Record<string, unknown>>;
}

/**
 * A server in front of the sandbox that answers some paths itself or changes their replies, and forwards all others.
 */
export async function startFront({ baseUrl }: Pick<Sandbox, "baseUrl">, answers: Answers): Promise<string> {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", baseUrl);
    const own = answers[url.pathname.replace("/api/v1/analytics/", "").replace("/api/v0/", "")];
    if (typeof own === "object") return response.writeHead(own.status).end(JSON.stringify(own.body));
    const reply = await fetch(url, { headers: { authorization: request.headers.authorization ?? "" } });
    const text = await reply.text();
    const isChanged = own !== undefined && reply.ok;
    response.writeHead(reply.status).end(isChanged ? JSON.stringify(own(JSON.parse(text), url)) : text);
  });
  return `http://${await listen(server)}`;
}

const refusal = { title: "Forbidden", detail: "Manager or Owner role required.", status: 403, requestId: "req_1" };
/** Reply of the service to a key without the role. */
export const forbidden = { status: 403, body: refusal };
