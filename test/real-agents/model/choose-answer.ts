import type { Answer, Conversation } from "./conversation.ts";
import { isScript, type Script, type Step, scripts } from "./script.ts";
import { buildCall, hasTool, valueFor } from "./tools.ts";

/** Next answer of the model: a step of the script that the last prompt names, with its calls filled in. */
export interface Reply extends Answer {
  readonly script: Script;
  /** HTTP status, if it is not 200. */
  readonly status?: number;
  readonly afterMs?: number;
  /** Number of requests refused with 503 before this one is answered. */
  readonly failsFirst?: number;
}

/** Chooses the next step of the script that the conversation's last prompt names; `PLAIN` if the prompt names none. */
export function chooseAnswer(conversation: Conversation): Reply {
  const { script, taken } = positionIn(conversation);
  const { answerSchema, tools, everything } = conversation;
  if (answerSchema) return { script, text: JSON.stringify(valueFor(answerSchema, "", {}, answerSchema)) };
  if (wantsSummary(conversation)) return { script, text: "<summary>Work so far: the file was reviewed.</summary>" };
  const wantsTitle = tools.length === 0 && /generate a title|title generator/i.test(everything);
  if (wantsTitle) return { script, text: "Sample title" };
  const all: readonly Step[] = scripts[script];
  const waits = (step: Step) => "calls" in step && step.calls[0]?.kind === "wait";
  const steps = all.filter((step) => !waits(step) || hasTool(conversation, "wait"));
  const step = steps[Math.min(taken, steps.length - 1)] ?? { text: "" };
  // A request without tools is separate from the conversation.
  if (tools.length === 0 && !("text" in step && step.afterMs === undefined)) return { script, text: "Sample title" };
  if (!("calls" in step)) return { script, ...step };
  const calls = step.calls.flatMap((wanted) => buildCall(wanted, conversation) ?? []);
  const { afterMs = 0 } = step;
  return calls.length > 0 ? { script, calls, afterMs } : { script, text: `No such tool here (${script}).` };
}

/** Finds the script that the last prompt names, and the number of its steps already taken. */
function positionIn({ turns }: Conversation): { script: Script; taken: number } {
  const named = turns.map(({ role, text }) => (role === "user" ? scriptIn(text) : undefined));
  const start = named.findLastIndex((script) => script !== undefined);
  let taken = 0;
  let previous = "";
  for (const { role, text, isCall } of turns.slice(start + 1)) {
    if (role === "assistant" && previous !== "assistant") taken += 1; // a run of assistant items is one step
    if (role !== "assistant" || text || isCall) previous = role;
  }
  return { script: named[start] ?? "PLAIN", taken };
}

function scriptIn(text: string): Script | undefined {
  return [...text.matchAll(/PLAY-([A-Z]+)/g)].map(([, word]) => word ?? "").findLast(isScript) as Script | undefined;
}

function wantsSummary({ turns }: Conversation): boolean {
  const last = turns.at(-1);
  if (last?.role !== "user" || /PLAY-|task-notification/.test(last.text)) return false;
  const wish = /CHECKPOINT COMPACTION|state_snapshot|summari[sz]e|summary of (the|this|our|your)|detailed summary/i;
  return wish.test(last.text);
}
