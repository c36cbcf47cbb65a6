import { agentNamed } from "../agents/registry.ts";
import type { AgentEvent } from "../core/event.ts";
import { programLikePromptReason, programPromptReason } from "../core/prompt-author.ts";
import type { RunContext } from "./context.ts";
import type { Judgement } from "./judge.ts";

/** Longest wait for the transcript line that names the prompt's author, in milliseconds. */
export const maxPromptLineWaitMs = 2_000;
const pollMs = 250;
const tailBytes = 64 * 1024;
/** Longest time between a prompt and a key press that shows that a person typed the prompt: 10 s. */
const maxTypingGapMs = 10_000;

/** Prompt that was judged. It has a reason to skip it if a program sent it, or a time for judging it again. */
export interface JudgedPrompt {
  readonly event: AgentEvent;
  readonly wait?: NonNullable<Judgement["wait"]>;
}

/**
 * Decides from the prompt's line in the transcript whether a person typed the prompt. If the line is missing, waits up
 * to two seconds for it. Without the line, the prompt's first words decide, unless a key was pressed at about that
 * time.
 */
export async function judgePrompt(event: AgentEvent, context: RunContext): Promise<JudgedPrompt> {
  if (event.skip !== undefined && event.skip !== programLikePromptReason) return { event };
  const nowMs = context.ports.clock.now();
  const format = agentNamed(event.agent)?.transcript;
  const { turnId, transcriptPath } = event;
  const { skip: _, ...typed } = event;
  if (format?.promptAuthor && turnId !== undefined && transcriptPath !== undefined) {
    const tail = await context.ports.files.readTail(transcriptPath, tailBytes);
    const author = format.promptAuthor(tail ?? "", turnId);
    if (author !== undefined) return { event: author === "person" ? typed : { ...event, skip: programPromptReason } };
    const untilMs = Math.min(nowMs + pollMs, event.atMs + maxPromptLineWaitMs);
    if (tail !== undefined && nowMs < untilMs) {
      return { event, wait: { untilMs, reason: "the transcript may say who typed it" } };
    }
  }
  return { event: event.skip !== undefined && wasKeyPressed(event, context) ? typed : event };
}

function wasKeyPressed({ atMs, processes = [] }: AgentEvent, { ports }: RunContext): boolean {
  const typedAtMs = ports.presence.typedAtMs(processes);
  return typedAtMs !== undefined && Math.abs(atMs - typedAtMs) <= maxTypingGapMs;
}
