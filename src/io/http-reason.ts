import type { FailureReason } from "../core/errors.ts";

/** The failure reason of an HTTP status that is not 2xx, the only place where the two meet. */
export function reasonOfStatus(status: number): FailureReason {
  if (status === 401 || status === 403 || status === 404 || status === 410) return "auth";
  if (status === 429) return "rate-limited";
  if (status === 408 || status === 425 || status >= 500) return "unavailable";
  if (status >= 300 && status < 400) return "redirect";
  return "rejected";
}
