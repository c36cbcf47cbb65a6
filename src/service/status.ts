import type { FailureReason } from "../core/errors.ts";
import {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ServiceError,
  type ServiceErrorDetails,
} from "./error.ts";

type Maker = new (reason: FailureReason, message: string, details: ServiceErrorDetails) => ServiceError;

const classes: Readonly<Record<number, readonly [Maker, FailureReason]>> = {
  400: [BadRequestError, "rejected"],
  401: [AuthenticationError, "auth"],
  403: [PermissionError, "auth"],
  404: [NotFoundError, "rejected"],
  408: [ServiceError, "unavailable"],
  429: [RateLimitError, "rate-limited"],
};

/** The error of a status that is neither 2xx nor 3xx. */
export function statusErrorOf(status: number, message: string, details: ServiceErrorDetails): ServiceError {
  const otherwise = status >= 500 ? ([ServerError, "unavailable"] as const) : ([ServiceError, "rejected"] as const);
  const [Class, reason] = classes[status] ?? otherwise;
  return new Class(reason, message, details);
}

interface HintContext {
  readonly roles: readonly string[] | undefined;
  readonly appUrl: string | undefined;
  /** The reply has a `detail`. */
  readonly isExplained: boolean;
}

/** What to do about a status, as far as there is something to do. */
export function hintOf(status: number, { roles, appUrl, isExplained }: HintContext): { hint?: string } {
  const page = appUrl === undefined ? "the service's settings page, /settings/api-keys" : keysPage(appUrl);
  const role = roles ? `It takes a key of one with the role ${roles.join(" or ")}` : "The key's role is not enough";
  const needed = roles ? `, with the role ${roles.join(" or ")}` : "";
  const hints: Readonly<Record<number, string>> = {
    400: isExplained
      ? "`detail` says what the service does not take."
      : "The service does not say what it does not take.",
    401: `The key is missing or not valid; make one at ${page}${needed}. A JWT is taken by /api/v0 alone.`,
    403: `${role}; make one at ${page}, or ask somebody who has the role.`,
    404: "Check the ids, and that the address is the service's.",
    429: "Ask less often, or later.",
  };
  const hint =
    hints[status] ?? (status >= 500 ? "Try later; the service's support may ask for `requestId`." : undefined);
  return hint === undefined ? {} : { hint };
}

function keysPage(appUrl: string): string {
  return `${appUrl.replace(/\/+$/, "")}/settings/api-keys`;
}
