import type { TokenUsage } from "../../core/facts.ts";
import { at } from "../../core/json-value.ts";
import { omitUndefined, type WithUndefined } from "../../core/omit-undefined.ts";
import { asCount } from "./record.ts";

type Counts = Omit<TokenUsage, "partial">;

/** An agent's own names for token counts. */
export interface TokenNames extends Readonly<Partial<Record<keyof Counts, string>>> {
  /** Replaces `input` for agents whose input count includes cache reads and writes. */
  readonly inputAndCache?: string;
}

/** Reads the token counts and the cost that the source has. A name such as `cache.read` leads to a nested count. */
export function readTokens(usage: unknown, names: TokenNames): TokenUsage | undefined {
  const count = (name: string | undefined) => (name === undefined ? undefined : asCount(at(usage, ...name.split("."))));
  const [cacheRead, cacheWrite] = [count(names.cacheRead), count(names.cacheWrite)];
  const withCache = count(names.inputAndCache);
  return omitEmpty({
    input: withCache === undefined ? count(names.input) : Math.max(0, withCache - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    output: count(names.output),
    cacheRead,
    cacheWrite,
    thinking: count(names.thinking),
    credits: count(names.credits),
    costUsd: count(names.costUsd) || undefined, // a model without prices counts 0
  });
}

/**
 * Sums the token counts of several calls. Undefined if no call has counts.
 * @param isComplete false marks the sum as partial
 */
export function sumTokens(calls: Iterable<TokenUsage | undefined>, isComplete: boolean): TokenUsage | undefined {
  const sum: Record<string, number> = {};
  for (const call of calls) {
    for (const [kind, count] of Object.entries(call ?? {})) {
      if (typeof count === "number") sum[kind] = (sum[kind] ?? 0) + count;
    }
  }
  const usage = omitEmpty(sum);
  return usage && !isComplete ? { ...usage, partial: true } : usage;
}

function omitEmpty(counts: WithUndefined<Counts>): TokenUsage | undefined {
  const usage = omitUndefined<TokenUsage>(counts);
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/** Reads a `tokenUsage` from Droid's session settings or from the service. The two name credits differently. */
export function sessionTokens(usage: unknown): TokenUsage | undefined {
  return readTokens(usage, {
    input: "inputTokens",
    output: "outputTokens",
    cacheRead: "cacheReadTokens",
    cacheWrite: "cacheCreationTokens",
    thinking: "thinkingTokens",
    credits: asCount(at(usage, "factoryCredits")) === undefined ? "serviceCredits" : "factoryCredits",
  });
}
