import { join } from "node:path";
import * as z from "zod";
import { once } from "../core/once.ts";
import { usageLimitSchema } from "../core/usage-limit.ts";
import { readStateFile } from "../files/atomic-file.ts";
import { minuteMs } from "../text/time.ts";

const knownLimitSchema = once(() =>
  usageLimitSchema().extend({
    agent: z.string(),
    /** Agent's own folder. Each of a user's accounts has one. */
    account: z.string(),
    /** Highest threshold of which the user was notified in this window. */
    notifiedPercent: z.number().optional(),
  }),
);

/** Figures of an account's usage limit in one of its windows. */
export type KnownLimit = Readonly<z.output<ReturnType<typeof knownLimitSchema>>>;

/** Returns the path of the file that stores usage limits. */
export function usageLimitsFile({ state }: { readonly state: string }): string {
  return join(state, "limits.json");
}

/** Reads all known windows, the last changed one last. */
export function readUsageLimits(file: string): readonly KnownLimit[] {
  return readStateFile(file, () => z.array(knownLimitSchema()), []);
}

/** Reads the last changed window of each limit, sorted by agent, account and length. */
export function readNewestWindows(file: string): KnownLimit[] {
  const known = readUsageLimits(file);
  const newest = known.filter((limit, index) => !known.slice(index + 1).some((later) => isSameLimit(later, limit)));
  const key = ({ agent, account }: KnownLimit) => `${agent} ${account}`;
  return newest.sort((a, b) => key(a).localeCompare(key(b)) || a.windowMs - b.windowMs);
}

const maxWindows = 50;
/** Longest time by which figures of the same window differ in its end, in milliseconds. */
const endToleranceMs = minuteMs;

/**
 * Adds figures to the known windows. `isDue` is true if the user must be notified, because the limit has reached a
 * higher threshold. A window is known by its end, which the agent's service sets, so a changed clock begins no new one.
 * Windows of which the user was notified are kept: another account in the same folder may still use its own.
 */
export function addUsageLimit(
  known: readonly KnownLimit[],
  found: KnownLimit,
  { thresholds, nowMs }: { readonly thresholds: readonly number[]; readonly nowMs: number },
): { readonly known: readonly KnownLimit[]; readonly isDue: boolean } {
  const isSameWindow = (other: KnownLimit) =>
    isSameLimit(other, found) && Math.abs(other.resetsAtMs - found.resetsAtMs) <= endToleranceMs;
  const earlier = known.find(isSameWindow);
  const { notifiedPercent = 0 } = earlier ?? {};
  const reached = Math.max(0, ...thresholds.filter((percent) => found.usedPercent >= percent));
  const isDue = reached > notifiedPercent && found.resetsAtMs > nowMs;
  // A second session may have older figures.
  const newest = earlier && earlier.usedPercent > found.usedPercent ? earlier : found;
  const others = known.filter((other) => !isSameWindow(other) && (other.notifiedPercent || !isSameLimit(other, found)));
  const notified = isDue ? reached : notifiedPercent;
  return { known: [...others, { ...newest, notifiedPercent: notified }].slice(-maxWindows), isDue };
}

function isSameLimit(one: KnownLimit, other: KnownLimit): boolean {
  return (["agent", "account", "id", "windowMs"] as const).every((part) => one[part] === other[part]);
}
