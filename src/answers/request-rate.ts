import { join } from "node:path";
import * as z from "zod";
import { once } from "../core/once.ts";
import type { Paths } from "../files/paths.ts";
import { readStateFile, writeStateFile } from "../files/state-file.ts";

/** Most requests of a session within `windowMs` that may be answered elsewhere. */
const maxRequests = 20;
const windowMs = 600_000;
const countsFile = "asked.json";

const timesSchema = once(() => z.record(z.string(), z.array(z.number())));

/** Time within which requests are counted for the user: two minutes. */
const recentMs = 120_000;

/** Counts a session's requests within two minutes before a time, Unix milliseconds. */
export function countRecent({ state }: Pick<Paths, "state">, thread: string, nowMs: number): number {
  const counted = readStateFile<Record<string, number[]>>(join(state, countsFile), timesSchema, {});
  return (counted[thread] ?? []).filter((atMs) => Math.abs(nowMs - atMs) < recentMs).length;
}

/**
 * Counts a session's request in a file, because workers come and go. Returns false if the session asked too often, or
 * if the request cannot be counted.
 * @param nowMs Unix milliseconds
 */
export function countRequest({ state }: Pick<Paths, "state">, thread: string, nowMs: number): boolean {
  const file = join(state, countsFile);
  const counted = Object.entries(readStateFile<Record<string, number[]>>(file, timesSchema, {}));
  const isRecent = (atMs: number) => Math.abs(nowMs - atMs) < windowMs;
  const recent = new Map(counted.map(([key, times]) => [key, times.filter(isRecent)] as const));
  const own = recent.get(thread) ?? [];
  if (own.length >= maxRequests) return false;
  recent.set(thread, [...own, nowMs]);
  return writeStateFile(file, Object.fromEntries([...recent].filter(([, times]) => times.length > 0)));
}
