import { admit, findCredential, Refusal } from "./access.ts";
import { type Route, routes } from "./routes.ts";
import type { State } from "./state.ts";

/** A request to the fake. */
export interface Incoming {
  /** Host of the API document to which the request was sent; undefined if one address serves both hosts. */
  readonly host?: Route["host"] | undefined;
  readonly method: string;
  readonly url: URL;
  readonly authorization: string | null;
  readonly contentType: string | null;
  readonly body: string;
}

/** Reply of the fake: a status and a JSON value. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** Answers a request as the API document says. */
export function answer(request: Incoming, state: State, nowMs: number, requestId: string): Reply {
  try {
    const { route, parts } = findRoute(request);
    admit(findCredential(request.authorization), route);
    const { searchParams: query } = request.url;
    const odd = [...query.keys()].find((name) => !route.query.includes(name));
    if (odd !== undefined) throw new Refusal(400, `The query parameter ${odd} is not known.`);
    const isJson = /^application\/json\s*(;|$)/i.test(request.contentType ?? "");
    if (request.body !== "" && !isJson) throw new Refusal(400, "The body must be JSON.");
    return { status: route.status, body: route.answer({ query, parts, body: request.body, state, nowMs }) };
  } catch (error) {
    const { status, message } = error instanceof Refusal ? error : new Refusal(500, "Something broke inside.");
    return refuse(status, message, requestId);
  }
}

/** Titles of error replies by status. */
const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  422: "Unprocessable Entity",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** Makes an error reply. All have the body documented for analytics, because no other is documented. */
export function refuse(status: number, detail: string, requestId: string): Reply {
  return { status, body: { title: titles[status] ?? "Error", detail, status, requestId } };
}

function findRoute({ host, method, url }: Incoming): { route: Route; parts: string[] } {
  const here = routes.flatMap((route) => {
    const pattern = new RegExp(`^${route.path.replace(/\{\w+\}/g, "([^/]+)")}$`);
    const match = host === undefined || route.host === host ? pattern.exec(url.pathname) : null;
    return match ? [{ route, parts: match.slice(1).map(decode) }] : [];
  });
  if (here.length === 0) throw new Refusal(404, "There is nothing here.");
  const found = here.find(({ route }) => route.method === method);
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
