import * as z from "zod";
import { once } from "../../../core/once.ts";
import { readStateFile, writeStateFile } from "../../../files/state-file.ts";

const timesSchema = once(() => z.record(z.string(), z.array(z.number())));

/**
 * Limit for a session's calls in a sliding window of a minute. The times are in a file, because a session may start
 * several servers, one after another or at once.
 */
export class CallLimit {
  readonly #calls: number;
  readonly #file: string;
  readonly #session: string;

  /** @param calls maximum number of calls in a minute */
  constructor(calls: number, { file, session }: { readonly file: string; readonly session: string }) {
    this.#calls = calls;
    this.#file = file;
    this.#session = session;
  }

  /** Counts a call, or returns the number of milliseconds until the next call is allowed. */
  take(nowMs: number): number | undefined {
    const stored = Object.entries(readStateFile<Record<string, number[]>>(this.#file, timesSchema, {}));
    const isRecent = (atMs: number): boolean => Math.abs(nowMs - atMs) < minuteMs;
    const recent = new Map(stored.map(([session, times]) => [session, times.filter(isRecent)] as const));
    const own = recent.get(this.#session) ?? [];
    const [oldest = nowMs] = own;
    if (own.length >= this.#calls) return oldest + minuteMs - nowMs;
    recent.set(this.#session, [...own, nowMs]);
    writeStateFile(this.#file, Object.fromEntries([...recent].filter(([, times]) => times.length > 0)));
    return undefined;
  }
}

const minuteMs = 60_000;
