import { inspect } from "node:util";
import { expect } from "vitest";
import { jwt, keys } from "../../../src/fake-service/access.ts";
import { type Credentials, ServiceClient, type ServiceClientOptions } from "../../../src/service.ts";
import { answer, type Behaviour, type HostileServer, openHostileServer } from "../hostile-server.ts";

/** A misbehaving service, and a client for it whose key must not appear in any error. */

export const apiKey = "key+7f/3e9b=21c8";

/** Answers with success and a JSON body. */
export const jsonReply = (body: unknown) => answer(200, { "content-type": "application/json" }, JSON.stringify(body));
/** Answers with any status and a JSON body. */
export const statusReply = (status: number, body: object = {}, headers: Record<string, string> = {}) =>
  answer(status, headers, JSON.stringify(body));
/** Pagination of the last page of a list. */
export const lastPage = { hasMore: false };
/** Answers with a list of one user. */
export const onePage = jsonReply({ users: [{ id: "u1" }], pagination: lastPage });

const paths = [
  "/api/v0/organization/users",
  "/api/v0/sessions",
  "/api/v0/computers/c1",
  "/api/v0/computers/c1/install-deps",
  "/api/v1/analytics/activity",
  "/api/organization/maturity-level-reports",
];

/** Starts a service that behaves the same on every path, until the end of the test. */
export const startHostileService = (behaviour: Behaviour): Promise<HostileServer> =>
  openHostileServer(Object.fromEntries(paths.map((path) => [path, behaviour])));

/**
 * Starts a service that answers one path with status 200, and a body that depends on the URL. Returns its addresses.
 */
export async function serviceAnswering(path: string, bodyFor: (url: URL) => object) {
  const server = await openHostileServer({
    [path]: (request, response) => jsonReply(bodyFor(new URL(request.url ?? "/", "http://service")))(request, response),
  });
  return { baseUrl: server.origin, appUrl: server.origin };
}

type Options = Partial<ServiceClientOptions>;

/** Makes a client with a key of its own, which does not wait between attempts. */
export function hostileClient(origin: string, credentials: Credentials = { apiKey }, options: Options = {}) {
  const tuning = { sleep: () => Promise.resolve(), random: () => 0, ...options };
  return new ServiceClient({ baseUrl: origin, appUrl: origin, ...credentials, ...tuning } as ServiceClientOptions);
}

/** Collects every printable part of an error, including its causes. */
export function collectTexts(error: unknown): string {
  const chain: unknown[] = [];
  for (let at = error; at !== undefined && at !== null; at = (at as Error).cause) chain.push(at);
  const fields = chain.flatMap((item) =>
    Reflect.ownKeys(item as object).map((name) => inspect(Reflect.get(item as object, name))),
  );
  const all = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true });
  const ofChain = (chain as Error[]).flatMap(({ stack, message }) => [stack, message]);
  return [...ofChain, String(error), JSON.stringify(error), all, ...fields].join("\n");
}

/** Fails if an error shows a key or JWT in any form. */
export function expectNoSecret(error: unknown, ...more: readonly string[]): void {
  const texts = collectTexts(error);
  for (const secret of [apiKey, jwt, ...Object.values(keys), ...more]) {
    const inBase64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
    for (const form of [secret, encodeURIComponent(secret), inBase64]) expect(texts).not.toContain(form);
  }
  expect(texts).not.toContain("Bearer");
}
