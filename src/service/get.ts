import type * as z from "zod";
import { DeliveryError, type FailureReason } from "../core/errors.ts";
import type { HttpPort, HttpReply } from "../core/ports.ts";
import { ServiceError } from "./error.ts";
import type { ServiceSettings } from "./settings.ts";

/** Room for a full page of sessions or messages; a longer reply counts as unreadable. */
const maxReplyBytes = 1024 * 1024;
const idPattern = /^[A-Za-z0-9_-]{1,128}$/;

/** Whether a text may stand in a request's path. Everything else could lead to another endpoint, e.g. `..`. */
export function isServiceId(text: string): boolean {
  return idPattern.test(text);
}

export interface GetRequest<Schema extends z.ZodType> {
  readonly access: Pick<ServiceSettings, "baseUrl" | "apiKey">;
  /** Parts of the path below `/api/v0`, each a `isServiceId`. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly reply: Schema;
  readonly http: HttpPort;
  readonly signal: AbortSignal;
}

/**
 * GETs one JSON resource of the service.
 * @throws {ServiceError} `auth` 401, 403 · `rate-limited` 429 · `unavailable` 408, 5xx, network · `timeout` · `redirect` ·
 * `rejected` other statuses, and a reply that is not what the service's interface says
 */
export async function getJson<Schema extends z.ZodType>(request: GetRequest<Schema>): Promise<z.output<Schema>> {
  const { access, http, signal } = request;
  const url = serviceUrl(access.baseUrl, request.path, request.query);
  const headers = { accept: "application/json", authorization: `Bearer ${access.apiKey}` };
  const reply = await http.send({ url: url.href, headers, signal, maxReplyBytes }).catch((error: unknown) => {
    if (!(error instanceof DeliveryError)) throw new ServiceError("bug", `asking ${url.origin} failed`);
    throw new ServiceError(error.reason, error.message, options(error.hint, error.status));
  });
  if (reply.status < 200 || reply.status > 299) throw statusError(url.origin, reply);
  const parsed = request.reply.safeParse(jsonOf(reply.body));
  if (parsed.success) return parsed.data;
  throw new ServiceError("rejected", `${url.origin} gave a reply that is not the service's`, {
    status: reply.status,
    hint: "Check `service.baseUrl`.",
  });
}

/**
 * The address of a resource: below the base address, whatever the parts are.
 * @throws {ServiceError} `rejected`
 */
export function serviceUrl(
  baseUrl: string,
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>>,
): URL {
  // `new URL` would keep the text of a bad address in its error.
  if (!URL.canParse(baseUrl)) throw new ServiceError("rejected", "`service.baseUrl` is not an address");
  const base = new URL(baseUrl);
  const prefix = `${base.pathname.replace(/\/+$/, "")}/api/v0/`;
  const url = new URL(prefix + path.join("/"), base.origin);
  if (!path.every(isServiceId) || url.origin !== base.origin || !url.pathname.startsWith(prefix))
    throw new ServiceError("rejected", "an id that cannot stand in a request to the service");
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

function statusError(origin: string, { status, headers }: HttpReply): ServiceError {
  const reason = reasonOf(status);
  const hint = reason === "auth" ? "Check `service.apiKey` and the role it was made with." : undefined;
  const requestId = headers["x-request-id"];
  const safeId = requestId !== undefined && isServiceId(requestId) ? requestId : undefined;
  return new ServiceError(reason, `${origin} answered ${status}`, options(hint, status, safeId));
}

function reasonOf(status: number): FailureReason {
  if (status === 401 || status === 403) return "auth";
  if (status === 429) return "rate-limited";
  return status === 408 || status >= 500 ? "unavailable" : "rejected";
}

function options(hint?: string, status?: number, requestId?: string) {
  return {
    ...(hint !== undefined && { hint }),
    ...(status !== undefined && { status }),
    ...(requestId !== undefined && { requestId }),
  };
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // No schema takes undefined, so this ends as a reply that is not the service's; the error would quote the body.
    return undefined;
  }
}
