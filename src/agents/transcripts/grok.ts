import { dirname, join } from "node:path";
import type { TranscriptFormat } from "../../core/agent.ts";
import type { Facts } from "../../core/facts.ts";
import { present } from "../../core/present.ts";
import {
  asCount,
  asLine,
  asObject,
  asText,
  asTimeMs,
  isWhole,
  type JsonObject,
  objectsIn,
  parseObject,
  recordsOf,
} from "./record.ts";
import { sumTokens, tokensOf, uncached } from "./tokens.ts";
import { type Step, turnFacts } from "./turn.ts";

/**
 * Grok Build's updates of a session, measured with 1.0.41. It writes them some time after they happened: an answer may
 * not be there when its turn has ended. Token counts are those of the turns that were read; the title is in a file beside
 * it.
 */
export const grokTranscript: TranscriptFormat = {
  companion: (transcriptPath) => join(dirname(transcriptPath), "summary.json"),
  read({ head, tail, companion }) {
    const whole = isWhole({ head, tail });
    const updates = recordsOf(tail).flatMap((record) => updateIn(record) ?? []);
    const usages = objectsIn(updates.map(({ update }) => update["usage"]));
    const summary = parseObject(companion ?? "");
    return present<Facts>({
      ...turnFacts(stepsOf(updates), whole),
      title: asLine(summary?.["generated_title"]),
      model: asLine(Object.keys(asObject(usages.at(-1)?.["modelUsage"]) ?? {})[0]),
      tokens: sumTokens(usages.map(tokensIn), whole),
    });
  },
};

interface Update {
  readonly update: JsonObject;
  readonly meta: JsonObject;
}

function updateIn(record: JsonObject): Update | undefined {
  const params = asObject(record["params"]);
  const update = asObject(params?.["update"]);
  return update && { update, meta: asObject(params?.["_meta"]) ?? {} };
}

const outcomes = { end_turn: "completed", cancelled: "interrupted", error: "failed" } as const;

function stepsOf(updates: readonly Update[]): Step[] {
  const steps: Step[] = [];
  for (const update of updates) addStep(steps, update);
  return steps;
}

function addStep(steps: Step[], { update, meta }: Update): void {
  const atMs = asTimeMs(meta["agentTimestampMs"]);
  const text = asText(asObject(update["content"])?.["text"]);
  switch (update["sessionUpdate"]) {
    case "user_message_chunk":
      if (steps.at(-1)?.kind !== "prompt") steps.push({ kind: "prompt", atMs });
      return;
    case "agent_message_chunk":
      if (text !== undefined) addAnswer(steps, text, atMs, String(meta["streamStartMs"]));
      return;
    case "turn_completed": {
      const outcome = outcomes[update["stop_reason"] as keyof typeof outcomes];
      const tookMs = asCount(update["elapsed_ms"]);
      if (outcome) steps.push({ kind: "end", outcome, text: asText(update["agent_result"]), tookMs });
    }
  }
}

/** A message comes in chunks, all of one stream. */
function addAnswer(steps: Step[], text: string, atMs: number | undefined, id: string): void {
  const last = steps.at(-1);
  const isSame = last?.kind === "answer" && last.id === id;
  if (isSame) steps.pop();
  steps.push({ kind: "answer", atMs, text: isSame ? last.text + text : text, id });
}

function tokensIn(usage: JsonObject) {
  return tokensOf({
    input: uncached(usage["inputTokens"], usage["cachedReadTokens"], usage["cacheCreationTokens"]),
    output: asCount(usage["outputTokens"]),
    cacheRead: asCount(usage["cachedReadTokens"]),
    cacheWrite: asCount(usage["cacheCreationTokens"]),
    thinking: asCount(usage["reasoningTokens"]),
  });
}
