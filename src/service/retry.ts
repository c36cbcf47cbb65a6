import { ConnectionError, RateLimitError, ServerError, ServiceError } from "./error.ts";

const firstWaitMs = 500;
/** Longest pause between attempts that the service does not ask for. */
const maxGrowingWaitMs = 30_000;

/**
 * Computes a pause that grows: 0.5 s, 1 s, 2 s … 30 s, shortened by up to a quarter at random, so that many clients do
 * not return at once.
 * @param count failures so far, 1 or more
 * @param random from 0 to 1
 */
export function growingWaitMs(count: number, random: number): number {
  return Math.min(maxGrowingWaitMs, firstWaitMs * 2 ** (count - 1)) * (1 - random / 4);
}

/**
 * Picks the pause before a GET is retried, in milliseconds: the pause that the service asks for, or else one that grows.
 * Undefined for a permanent failure.
 * @param attempt attempts made so far, 1 or more
 * @param random from 0 to 1
 */
export function retryWaitMs(error: unknown, attempt: number, random: number): number | undefined {
  if (!isTransient(error)) return undefined;
  return error.retryAfterMs ?? growingWaitMs(attempt, random);
}

function isTransient(error: unknown): error is ServiceError {
  if (error instanceof ServiceError && error.status === 408) return true;
  return error instanceof RateLimitError || error instanceof ServerError || error instanceof ConnectionError;
}
