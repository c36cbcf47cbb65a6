import type { TokenUsage } from "../../core/facts.ts";
import { type Loose, present } from "../../core/present.ts";
import { asCount, type JsonObject } from "./record.ts";

type Counts = Loose<Omit<TokenUsage, "partial">>;

/** Token counts without those the source does not give; undefined where it gives none. */
export function tokensOf(counts: Counts): TokenUsage | undefined {
  const usage = present<TokenUsage>(counts);
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/** The counts of several calls added up, each kind over the calls that give it; undefined for none. */
export function sumTokens(calls: Iterable<TokenUsage | undefined>, whole: boolean): TokenUsage | undefined {
  const sum: Record<string, number> = {};
  for (const call of calls) {
    for (const [kind, count] of Object.entries(call ?? {})) {
      if (typeof count === "number") sum[kind] = (sum[kind] ?? 0) + count;
    }
  }
  const usage = tokensOf(sum);
  return usage && !whole ? { ...usage, partial: true } : usage;
}

/** What is left of a count of input that includes the cached part, which some agents' does. */
export function uncached(input: unknown, ...cached: unknown[]): number | undefined {
  const count = asCount(input);
  if (count === undefined) return undefined;
  return Math.max(
    0,
    cached.reduce<number>((left, part) => left - (asCount(part) ?? 0), count),
  );
}

/**
 * The usage object of Droid's session settings and of the service. The service's document names the credits neutrally.
 */
export function sessionTokens(usage: JsonObject | undefined): TokenUsage | undefined {
  return tokensOf({
    input: asCount(usage?.["inputTokens"]),
    output: asCount(usage?.["outputTokens"]),
    cacheRead: asCount(usage?.["cacheReadTokens"]),
    cacheWrite: asCount(usage?.["cacheCreationTokens"]),
    thinking: asCount(usage?.["thinkingTokens"]),
    credits: asCount(usage?.["factoryCredits"]) ?? asCount(usage?.["serviceCredits"]),
  });
}
