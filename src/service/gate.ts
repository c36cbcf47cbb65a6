import type { Deadline } from "./deadline.ts";
import { ConnectionError, RateLimitError, ServerError, ServiceError } from "./error.ts";
import type { TransportSettings } from "./sender.ts";

/** Pause that the service asked for. */
interface Pause {
  readonly startsAtMs: number;
  readonly lengthMs: number;
}

/** Number of answers in a row after which several requests at once are tried again. */
const answersUntilWide = 10;

/**
 * Gate that all requests of a client pass: a few at once, in order, and none while a rate limit lasts. After a refusal
 * they pass one at a time, so that those that waited are not refused together.
 */
export class Gate {
  readonly #settings: TransportSettings;
  readonly #waiting: (() => void)[] = [];
  #width: number;
  #running = 0;
  #pause: Pause | undefined;
  #pausedMs = 0;
  /** Number of pauses that began, by which late refusals of requests sent before the last pause are recognized. */
  #pauses = 0;
  /** Refusals, less the answers since. */
  #refusals = 0;
  #answers = 0;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
    this.#width = settings.maxConcurrency;
  }

  /** Time for which the gate was closed, milliseconds. */
  get pausedMs(): number {
    return this.#pausedMs;
  }

  /**
   * Waits for a place, which must be given back with `leave`.
   * @returns the length of a pause for which the call has no time; undefined once the call may send its request
   * @throws if the deadline passes, or the caller's signal aborts
   */
  async enter(deadline: Deadline): Promise<number | undefined> {
    let isNext = false;
    for (;;) {
      const pause = this.#pause;
      if (pause !== undefined) {
        // The clock may have been set back.
        const leftMs = Math.min(pause.lengthMs, Math.max(0, pause.startsAtMs + pause.lengthMs - this.#settings.now()));
        if (leftMs > 0 && !deadline.hasTimeFor(leftMs)) {
          this.#letIn();
          return leftMs;
        }
        await deadline.pause(leftMs, this.#settings.sleep).catch(this.#giveUp);
        if (this.#pause !== pause) continue;
        this.#pausedMs += pause.lengthMs;
        this.#pause = undefined;
      } else if (this.#running < this.#width && (isNext || this.#waiting.length === 0)) {
        this.#running += 1;
        return undefined;
      } else {
        await deadline.queue((resolve) => this.#waiting.push(resolve)).catch(this.#giveUp);
        isNext = true;
      }
    }
  }

  /** Lets the next requests in, whose turn a call has missed that has no time left. @throws the call's error */
  readonly #giveUp = (error: unknown): never => {
    this.#letIn();
    throw error;
  };

  #letIn(): void {
    for (const next of this.#waiting.splice(0, Math.max(0, this.#width - this.#running))) next();
  }

  /** Gives back a place. */
  leave(): void {
    this.#running -= 1;
    this.#letIn();
  }

  /** Number of pauses so far, which a request keeps for `refuse`. */
  get pauses(): number {
    return this.#pauses;
  }

  /** Notes an answer other than a refusal. */
  accept(): void {
    this.#refusals = Math.max(0, this.#refusals - 1);
    this.#answers += 1;
    if (this.#answers >= answersUntilWide) this.#width = this.#settings.maxConcurrency;
  }

  /**
   * Closes the gate for the time that the service asks for, or else for a time that grows with each refusal.
   * @param pauses number of pauses when the request was sent
   * @param random from 0 to 1
   */
  refuse(pauses: number, askedMs: number | undefined, random: number): void {
    const isLate = pauses < this.#pauses;
    if (isLate && askedMs === undefined) return;
    if (!isLate) this.#refusals += 1;
    this.#width = 1;
    this.#answers = 0;
    const nowMs = this.#settings.now();
    const startsAtMs = this.#pause?.startsAtMs ?? nowMs;
    const lengthMs = nowMs - startsAtMs + (askedMs ?? growingWaitMs(this.#refusals, random));
    if (this.#pause !== undefined && lengthMs <= this.#pause.lengthMs) return;
    this.#pauses += 1;
    this.#pause = { startsAtMs, lengthMs };
  }
}

const firstWaitMs = 500;
/** Longest pause between attempts that the service does not ask for. */
const maxGrowingWaitMs = 30_000;

/**
 * Computes a pause that grows: 0.5 s, 1 s, 2 s … 30 s, shortened by up to a quarter at random, so that many clients do
 * not return at once.
 * @param count failures so far, 1 or more
 * @param random from 0 to 1
 */
function growingWaitMs(count: number, random: number): number {
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
