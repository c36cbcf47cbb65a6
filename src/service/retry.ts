import { ConnectionError, RateLimitError, ServerError, ServiceError } from "./error.ts";

const firstWaitMs = 500;

/**
 * Picks the pause before a GET is retried, in milliseconds: the pause that the service asks for, or else 0.5 s, 1 s, 2
 * s …, shortened by up to a quarter at random, so that many clients do not return at once. Undefined for a permanent
 * failure.
 * @param attempt attempts made so far, 1 or more
 * @param random from 0 to 1
 */
export function retryWaitMs(error: unknown, attempt: number, random: number): number | undefined {
  if (!isTransient(error)) return undefined;
  return error.retryAfterMs ?? firstWaitMs * 2 ** (attempt - 1) * (1 - random / 4);
}

function isTransient(error: unknown): error is ServiceError {
  if (error instanceof ServiceError && error.status === 408) return true;
  return error instanceof RateLimitError || error instanceof ServerError || error instanceof ConnectionError;
}
