import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import { admit, Refusal } from "./access.ts";
import type { Route } from "./route.ts";
import { routes } from "./routes.ts";
import { defaultSizes, makeState, type Sizes, type State } from "./state.ts";

/** A received request. */
export interface Seen {
  readonly host: Route["host"];
  readonly method: string;
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly body: string;
  /** Of the answer. */
  status: number;
}

export interface Sandbox {
  /** `{base_url}` and `{app_url}` of the document: two servers, so that a mix-up is a 404. */
  readonly baseUrl: string;
  readonly appUrl: string;
  /** Oldest first. */
  readonly seen: Seen[];
  readonly state: State;
  close(): Promise<void>;
}

export interface SandboxOptions {
  readonly sizes?: Partial<Sizes>;
  /** Unix milliseconds; determines today's date. */
  readonly now?: () => number;
  /** Ports of the two servers; any by default. */
  readonly ports?: readonly [base: number, app: number];
}

/** Starts the documented service on this machine, always with the same data. */
export async function startSandbox({ sizes, now = Date.now, ports = [0, 0] }: SandboxOptions = {}): Promise<Sandbox> {
  const state = makeState({ ...defaultSizes, ...sizes });
  const seen: Seen[] = [];
  let requests = 0;
  const serve = (host: Route["host"], port: number): Promise<Server> => {
    const server = createServer(async (request, response) => {
      const body = await readBody(request).catch(() => undefined);
      if (body === undefined) return; // the client is gone
      const url = parseAddress(request.url);
      const { method = "GET", headers } = request;
      const received: Seen = { host, method, url, authorization: headers.authorization, body, status: 0 };
      seen.push(received);
      requests += 1;
      const reply = answer(received, headers["content-type"], state, now(), `req_${requests}`);
      received.status = reply.status;
      response.writeHead(reply.status, { "content-type": "application/json" }).end(JSON.stringify(reply.body));
    });
    return new Promise((resolve, reject) => {
      server.once("error", reject).listen(port, "127.0.0.1", () => resolve(server));
    });
  };
  const servers = [await serve("base", ports[0]), await serve("app", ports[1])];
  const [baseUrl = "", appUrl = ""] = servers.map(
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  const close = async (): Promise<void> => {
    for (const server of servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  };
  return { baseUrl, appUrl, seen, state, close };
}

/** The URL of a request target; `/` for a target other than a path, such as `//`. */
function parseAddress(target = "/"): URL {
  const host = "http://sandbox";
  return URL.canParse(target, host) ? new URL(target, host) : new URL(host);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** All errors have the body documented for analytics, as none is documented for other endpoints. */
function answer(seen: Seen, contentType: string | undefined, state: State, nowMs: number, requestId: string) {
  try {
    const { route, parts } = find(seen);
    admit(seen.authorization, route);
    const odd = [...seen.url.searchParams.keys()].find((name) => !route.query.includes(name));
    if (odd !== undefined) throw new Refusal(400, `The query parameter ${odd} is not known.`);
    if (seen.body !== "" && !/^application\/json\s*(;|$)/i.test(contentType ?? ""))
      throw new Refusal(400, "The body must be JSON.");
    const body = route.answer({ query: seen.url.searchParams, parts, body: seen.body, state, nowMs });
    return { status: route.status, body };
  } catch (error) {
    const status = error instanceof Refusal ? error.status : 500;
    const detail = error instanceof Refusal ? error.message : "Something broke inside.";
    return { status, body: { title: STATUS_CODES[status], detail, status, requestId } };
  }
}

function find({ host, method, url }: Seen): { route: Route; parts: string[] } {
  const here = routes.flatMap((route) => {
    const pattern = new RegExp(`^${route.path.replace(/\{\w+\}/g, "([^/]+)")}$`);
    const match = route.host === host ? pattern.exec(url.pathname) : null;
    return match ? [{ route, parts: match.slice(1).map(decoded) }] : [];
  });
  if (here.length === 0) throw new Refusal(404, "There is nothing here.");
  const found = here.find(({ route }) => route.method === method);
  if (found === undefined) throw new Refusal(405, "Not with this method.");
  return found;
}

/** A part of a path. @throws {Refusal} 400 */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal(400, "The path cannot be decoded.");
  }
}
