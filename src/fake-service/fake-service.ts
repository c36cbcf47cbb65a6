import { createServer, type IncomingMessage, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { parseJson, toObject } from "../core/json-value.ts";
import type { Endpoint } from "../service/endpoint.ts";
import { endpoints } from "../service/endpoints.ts";
import { ArgumentError } from "../service/error.ts";
import { checkArguments, wireQuery } from "../service/request.ts";
import { dayMs, isDay } from "../text/time.ts";
import { admit, type Credential, findCredential, jwt, keys, Refusal } from "./access.ts";
import { dayNumber } from "./people.ts";
import { answers, type Call } from "./routes.ts";
import { defaultSizes, makeState, type State } from "./state.ts";

/** Options of a fake service. */
export interface FakeServiceOptions {
  /** Number of users in the organization, at most 10,000; default: 20. */
  readonly users?: number;
  /** Number of days with analytics rows, the last of which is yesterday (UTC); default: 30. */
  readonly days?: number;
  /** Whole number that selects the data: the same seed gives the same data; default: 1. */
  readonly seed?: number;
  /** Clock, Unix milliseconds; default: `Date.now`. */
  readonly now?: () => number;
}

/** A request that a fake service has answered. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Headers with names in lower case, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body, parsed if it is JSON; undefined if there is none. */
  readonly body: unknown;
  /** Name of the key in `keys`, or `jwt`; undefined for no key and for a wrong one. */
  readonly credential: Credential | undefined;
  /** Status of the reply. */
  readonly status: number;
}

/** The service, for tests: all operations of the API document, on data that POST and PATCH change. */
export interface FakeService {
  /** Address of a server on this machine, for `baseUrl` and `appUrl`. */
  readonly url: string;
  /** Function like the global `fetch` that answers requests to any address without the network. */
  readonly fetch: typeof fetch;
  /** API key of an Owner; the same as `keys.owner`. */
  readonly apiKey: string;
  /** API keys by role. Every request with the key `broken` is answered with 500. */
  readonly keys: typeof keys;
  /** JWT, which only `/api/v0` accepts. */
  readonly jwt: string;
  /** All requests, oldest first. To forget them, set `requests.length = 0`. */
  readonly requests: FakeRequest[];
  /**
   * Makes the next requests fail, whatever they ask for. A second call adds more failures.
   * @param status 400 to 599
   * @param times number of requests; default: 1
   * @throws {RangeError}
   */
  fail(status: number, times?: number): void;
  /**
   * Removes a day from all analytics.
   * @param day `YYYY-MM-DD`
   * @throws {RangeError} for a text that is not a day
   */
  drop(day: string): void;
  /** Stops the server. A server that is not stopped does not keep the process alive. */
  close(): Promise<void>;
}

/**
 * Starts a fake of the service for your tests. Errors are those of the API document; an error that the document does
 * not describe has the form of an error of analytics.
 * @throws {RangeError} for an option out of its range
 * @example
 * const service = await fakeService({ users: 20, days: 30, seed: 1 });
 * const client = new ServiceClient({ baseUrl: service.url, appUrl: service.url, apiKey: service.apiKey });
 */
export async function fakeService(options: FakeServiceOptions = {}): Promise<FakeService> {
  const { users = 20, days = 30, seed = 1, now = Date.now } = options;
  checkWhole("users", users, 0, 10_000);
  checkWhole("days", days, 0, 10_000);
  checkWhole("seed", seed, 0, 2 ** 32 - 1);
  const firstDay = Math.max(defaultSizes.firstDay, Math.floor(now() / dayMs) - days);
  const state = makeState({ users, sessions: 50, reports: 30, changes: 25, seed, firstDay });
  const requests: FakeRequest[] = [];
  const failures: number[] = [];
  const respond = (request: Received): Reply => {
    const requestId = `req_${requests.length + 1}`;
    const status = failures.shift();
    const reply =
      status === undefined
        ? answer(request, state, now(), requestId)
        : refuse(status, "This failure was ordered.", requestId);
    requests.push({ ...describeRequest(request), status: reply.status });
    return reply;
  };
  const { url, close } = await listen(respond, { isBackground: true });
  return {
    url,
    fetch: createFetch(respond),
    apiKey: keys.owner,
    keys,
    jwt,
    requests,
    fail(status, times = 1) {
      checkWhole("status", status, 400, 599);
      checkWhole("times", times, 1, 10_000);
      failures.push(...Array.from({ length: times }, () => status));
    },
    drop(day) {
      if (!isDay(day)) throw new RangeError("`day` must be a day as YYYY-MM-DD");
      state.dropped.add(dayNumber(day));
    },
    close,
  };
}

function checkWhole(name: string, value: number, min: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return;
  throw new RangeError(`\`${name}\` must be a whole number from ${min} to ${max}`);
}

function createFetch(respond: (request: Received) => Reply): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const { method, headers, url } = request;
    const received = { method, url: new URL(url), headers: Object.fromEntries(headers), body: await request.text() };
    const { status, body } = respond(received);
    return Response.json(body, { status });
  };
}

/** Names of headers that carry credentials. */
const credentialHeader = /authorization|cookie|key|token|secret/;

function describeRequest({ method, url, headers, body }: Received) {
  return {
    method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !credentialHeader.test(name))),
    body: body === "" ? undefined : (parseJson(body) ?? body),
    credential: findCredential(headers),
  };
}

/** Time for which an idle connection stays open. */
const keepAliveMs = 10 * 60_000;

/**
 * Serves requests on 127.0.0.1, at `url`, until `close`, which also ends all connections. An unused server does not keep
 * the process alive if `isBackground`.
 * @param port any free port by default
 */
export async function listen(
  respond: (request: Received) => Reply,
  { port = 0, isBackground = false }: { readonly port?: number; readonly isBackground?: boolean } = {},
) {
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return; // the client is gone
    const reply = respond(toReceived(request, body));
    response.writeHead(reply.status, { "content-type": "application/json" }).end(JSON.stringify(reply.body));
  });
  // A test on a busy machine may pause for longer than Node's five seconds, and then reuse its connection.
  server.keepAliveTimeout = keepAliveMs;
  if (isBackground) server.unref().on("connection", (socket) => socket.unref());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function toReceived({ method = "GET", url = "/", headers }: IncomingMessage, body: string): Received {
  const host = "http://fake-service";
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  // A target other than a path, such as `//`, becomes `/`.
  const target = URL.canParse(url, host) ? url : "/";
  return { method, url: new URL(target, host), headers: texts, body };
}

/** A request to the fake. */
export interface Received {
  /** Address to which the request was sent; undefined if one serves both. */
  readonly base?: Endpoint["base"] | undefined;
  readonly method: string;
  readonly url: URL;
  /** Headers with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Reply of the fake: a status and a JSON value. */
interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** Answers a request as the API document says. */
export function answer(request: Received, state: State, nowMs: number, requestId: string): Reply {
  try {
    const { endpoint, ids } = findEndpoint(request);
    admit(findCredential(request.headers), endpoint);
    const call = { endpoint, ids, ...readArguments(endpoint, request, nowMs), state, nowMs };
    return { status: endpoint.status, body: answers[endpoint.name]?.(call) };
  } catch (error) {
    if (error instanceof ArgumentError) return refuse(400, error.message, requestId);
    const { status, message } = error instanceof Refusal ? error : new Refusal(500, "Something broke inside.");
    return refuse(status, message, requestId);
  }
}

/** Reads a request's query and body, in the spelling of the client's callers. @throws {Refusal | ArgumentError} */
function readArguments(endpoint: Endpoint, { url, headers, body }: Received, nowMs: number) {
  const known = Object.keys(wireQuery(endpoint.query?.shape ?? {}));
  const odd = [...url.searchParams.keys()].find((name) => !known.includes(name));
  if (odd !== undefined) throw new Refusal(400, `The query parameter ${odd} is not known.`);
  const isJson = /^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "");
  if (body !== "" && !(isJson && endpoint.body)) throw new Refusal(400, "The body must be JSON, if one is taken.");
  const { group_by: groupBy, limit, ...query } = Object.fromEntries(url.searchParams);
  const given = {
    ...query,
    ...(groupBy !== undefined && { groupBy }),
    ...(limit !== undefined && { limit: /^\d{1,9}$/.test(limit) ? Number(limit) : limit }),
  };
  const fields = parseJson(body) as Call["body"];
  const checked = checkArguments(endpoint, { query: given, body: fields }, nowMs);
  return { query: toObject(checked.query) as Call["query"], body: toObject(checked.body) };
}

/** Makes an error reply. All have the body documented for analytics, because no other is documented. */
function refuse(status: number, detail: string, requestId: string): Reply {
  return { status, body: { title: STATUS_CODES[status] ?? "Error", detail, status, requestId } };
}

function findEndpoint({ base, method, url }: Received): { endpoint: Endpoint; ids: string[] } {
  const here = endpoints.flatMap((endpoint) => {
    const pattern = new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, "([^/]+)")}$`);
    const match = base === undefined || endpoint.base === base ? pattern.exec(url.pathname) : null;
    return match ? [{ endpoint, ids: match.slice(1).map(decode) }] : [];
  });
  if (here.length === 0) throw new Refusal(404, "There is nothing here.");
  const found = here.find(({ endpoint }) => endpoint.method === method);
  if (found === undefined) throw new Refusal(405, "Not with this method.");
  return found;
}

/** Decodes a part of a path. @throws {Refusal} 400 */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal(400, "The path cannot be decoded.");
  }
}
