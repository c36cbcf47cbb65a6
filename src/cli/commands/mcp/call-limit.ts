import * as z from "zod";
import { once } from "../../../core/once.ts";
import { readStateFile, writeStateFile } from "../../../files/atomic-file.ts";

/** Limit for a session's calls in a sliding window of a minute. */
export interface CallLimit {
  readonly maxCalls: number;
  readonly session: string;
  /** File with the times of all sessions' calls, because a session may start several servers. */
  readonly file: string;
}

const timesSchema = once(() => z.record(z.string(), z.array(z.number())));
const minuteMs = 60_000;

/** Counts a call, or returns the number of milliseconds until the next call is allowed. */
export function countCall({ maxCalls, session, file }: CallLimit, nowMs: number): number | undefined {
  const stored = Object.entries(readStateFile<Record<string, number[]>>(file, timesSchema, {}));
  const isRecent = (atMs: number): boolean => Math.abs(nowMs - atMs) < minuteMs;
  const recent = new Map(stored.map(([key, times]) => [key, times.filter(isRecent)] as const));
  const own = recent.get(session) ?? [];
  const [oldest = nowMs] = own;
  if (own.length >= maxCalls) return oldest + minuteMs - nowMs;
  recent.set(session, [...own, nowMs]);
  writeStateFile(file, Object.fromEntries([...recent].filter(([, times]) => times.length > 0)));
  return undefined;
}
