import { ConnectionError, RateLimitError, ServerError } from "./error.ts";

const firstWaitMs = 500;

/**
 * How long to wait before a GET is asked again: what the service says, else 0.5 s, 1 s, 2 s …; undefined for a failure
 * that asking again would not mend. For GET alone: anything else could be carried out twice.
 * @param attempt how many were made, 1 or more
 */
export function retryWaitMs(error: unknown, attempt: number): number | undefined {
  const isPassing = error instanceof RateLimitError || error instanceof ServerError || error instanceof ConnectionError;
  return isPassing ? (error.retryAfterMs ?? firstWaitMs * 2 ** (attempt - 1)) : undefined;
}
