import { omitUndefined } from "../core/omit-undefined.ts";
import { RateLimitError, type ServiceError, TimeoutError } from "../service/error.ts";
import { cut } from "../text/cut.ts";
import { durationText } from "../text/time.ts";
import type { Failure } from "./coverage.ts";

/** Maximum number of characters shown of a reply. */
const maxExcerptChars = 200;

/** Describes a failed request twice: for the user of the command, and in plain words for readers of the page. */
export function describeFailure(error: ServiceError): Failure {
  const { message, title, detail, hint, excerpt, requestId } = error;
  const request = requestId && `(request ${requestId})`;
  const explanation = trimStop([title, detail].filter(Boolean).join(": "));
  const reason = [trimStop([message, explanation].filter(Boolean).join(" ")), request].filter(Boolean).join(" ");
  const reply = excerpt && `The reply: ${cut(excerpt, maxExcerptChars, "utf16")}`;
  const plainReason = [explainPlainly(error), request].filter(Boolean).join(" ");
  return omitUndefined({ reason, plainReason, hint: [hint, reply].filter(Boolean).join(" ") || undefined });
}

/** Removes the full stop at the end. A gap is shown as a sentence, which adds the full stop. */
function trimStop(text: string): string {
  return text.replace(/\.$/, "");
}

function explainPlainly(error: ServiceError): string {
  const { status = 0, title, detail, retryAfterMs } = error;
  const answer = [status || undefined, trimStop([title, detail].filter(Boolean).join(": "))].filter(Boolean).join(" ");
  if (error instanceof TimeoutError) return "the service did not answer in time";
  if (status >= 500) return `the service failed (${answer})`;
  if (status === 401 || status === 403) return `the key is not allowed to read these data (${answer})`;
  if (status === 429 || error instanceof RateLimitError) {
    const when = retryAfterMs === undefined ? "later" : `in ${durationText(retryAfterMs)}`;
    return `the service received too many requests; make the report again ${when}`;
  }
  if (status >= 400) return `the service refused the request (${answer})`;
  return status === 0 ? "the service could not be reached" : "the service sent a reply that could not be read";
}
