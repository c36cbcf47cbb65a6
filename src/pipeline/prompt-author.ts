import { agentNamed } from "../agents/registry.ts";
import type { AgentEvent } from "../core/event.ts";
import { isProgramLike, isProgramsOwn } from "../core/prompt-author.ts";
import type { RunContext } from "./context.ts";
import type { Judgement } from "./judge.ts";

/** Parts of the context that this step uses. */
type StepContext = Pick<RunContext, "ports">;

/** Longest wait for a transcript's line that says who typed a prompt, in milliseconds. */
export const promptLineMs = 2_000;
const lookEveryMs = 250;
const tailBytes = 64 * 1024;
/** A key that was pressed so shortly before a prompt was pressed to type it. */
const typingMs = 10_000;

/** A prompt with a reason to skip it if no person typed it, or with the time of the next look. */
export interface JudgedPrompt {
  readonly event: AgentEvent;
  readonly wait?: NonNullable<Judgement["wait"]>;
}

/**
 * Judges who typed a prompt. The transcript's line of this very prompt decides; until it is there, for two seconds at
 * most, and for agents without such lines, the prompt's opening does, as parsing has noted it.
 */
export async function judgePrompt(event: AgentEvent, context: StepContext): Promise<JudgedPrompt> {
  if (event.skip !== undefined && event.skip !== isProgramLike) return { event };
  const nowMs = context.ports.clock.now();
  const format = agentNamed(event.agent)?.transcript;
  const { turnId, transcriptPath } = event;
  const { skip: _, ...typed } = event;
  if (format?.promptAuthor && turnId !== undefined && transcriptPath !== undefined) {
    const tail = await context.ports.files.readTail(transcriptPath, tailBytes);
    const author = format.promptAuthor(tail ?? "", turnId);
    if (author !== undefined) return { event: author === "person" ? typed : { ...event, skip: isProgramsOwn } };
    const untilMs = Math.min(nowMs + lookEveryMs, event.atMs + promptLineMs);
    if (tail !== undefined && nowMs < untilMs) {
      return { event, wait: { untilMs, reason: "the transcript may say who typed it" } };
    }
  }
  return { event: event.skip !== undefined && wasKeyPressed(event, context) ? typed : event };
}

function wasKeyPressed({ atMs, processes = [] }: AgentEvent, { ports }: StepContext): boolean {
  const typedAtMs = ports.presence.typedAtMs(processes);
  return typedAtMs !== undefined && Math.abs(atMs - typedAtMs) <= typingMs;
}
