import { keys } from "../../src/fake-service/access.ts";
import { longestSession, makeSession } from "../../src/fake-service/sessions.ts";
import { yesterday } from "../world/service/client.ts";
import { type DocumentedEndpoint, documentedEndpoints } from "../world/service/document.ts";
import type { Sandbox } from "../world/service/server.ts";

/** Plain requests to the sandbox without the client. */

export interface Ask {
  readonly query?: Readonly<Record<string, string>>;
  /** Key to send; default: the owner's key; undefined for no key. */
  readonly bearer?: string | undefined;
  readonly body?: unknown;
}

export type Json = Record<string, never>;

/** Session with the most messages. */
export const { sessionId } = makeSession(longestSession);

/** Requests a documented endpoint: by default yesterday's analytics, the longest session, or one of its messages. */
export async function ask(
  sandbox: Sandbox,
  { method, base, path: template }: Pick<DocumentedEndpoint, "method" | "base" | "path">,
  request: Ask = {},
): Promise<{ status: number; body: Json }> {
  const messageId = `msg_${sessionId.slice(0, 8)}_4`;
  const ids: Record<string, string> = { sessionId, messageId, computerId: "computer_2" };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "");
  const url = new URL(path, sandbox[base]);
  const days = path.includes("/analytics/") ? { startDate: yesterday, endDate: yesterday } : {};
  for (const [name, value] of Object.entries({ ...days, ...request.query })) url.searchParams.set(name, value);
  const bearer = "bearer" in request ? request.bearer : keys.owner;
  const response = await fetch(url, {
    method,
    headers: {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(request.body !== undefined && { "content-type": "application/json" }),
    },
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

/** Finds the documented endpoint whose path has this end. */
export function endpointAt(path: string, method = "GET"): DocumentedEndpoint {
  const found = documentedEndpoints.find((endpoint) => endpoint.method === method && endpoint.path.endsWith(path));
  if (found === undefined) throw new Error(path);
  return found;
}

/** Makes a body that the endpoint accepts, if it takes a body. */
export function validBody({ method, path }: DocumentedEndpoint): Ask {
  const bodies: Readonly<Record<string, unknown>> = { POST: { computerId: "computer_1" }, PATCH: { name: "n" } };
  return path.endsWith("install-deps") || method === "GET" ? {} : { body: bodies[method] };
}

/** All documented endpoints, by method and path. */
export const namedEndpoints = documentedEndpoints.map((each) => [`${each.method} ${each.path}`, each] as const);
