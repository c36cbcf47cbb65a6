import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { readCallId, readToolInput } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts, FoundFacts, ToolCall } from "../core/facts.ts";
import { once } from "../core/once.ts";
import { quietly } from "../core/quietly.ts";
import { recordedTerminal } from "../core/terminal-environment.ts";
import { kinds, promptEvent } from "../core/vocabulary.ts";
import { describeRequests, readTool } from "../text/request.ts";

/**
 * States of a concern: `pending` before a message was sent, `ringing` after that, `acknowledged` once the user has
 * noticed it, and `resolved`.
 */
const concernStates = ["pending", "ringing", "acknowledged", "resolved"] as const;

const messageSchema = once(() =>
  z.object({
    /** Identifiers that the receiver gave the message; absent if the message cannot be changed. */
    receipt: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    /** Id of the message. All concerns that a message is about have the same id here. */
    group: z.string(),
    atMs: z.number(),
    /** Time when a newer message replaced this one. This one is then withdrawn even if the concern is open. */
    supersededAtMs: z.number().optional(),
    /** Number of attempts to withdraw the message. */
    attempts: z.number().optional(),
    /** Time of the last failed attempt to withdraw the message, Unix milliseconds. */
    failedAtMs: z.number().optional(),
    /** Time of the next attempt to withdraw the message, Unix milliseconds. */
    dueAtMs: z.number().optional(),
  }),
);

/** Message that a notifier sent about a concern. */
export type SentMessage = Readonly<z.output<ReturnType<typeof messageSchema>>>;

const concernSchema = once(() =>
  z.object({
    /** Id of the event that raised the concern. */
    id: z.string(),
    /** Arrival time of the event that raised the concern, Unix milliseconds. */
    atMs: z.number(),
    kind: z.enum(kinds),
    state: z.enum(concernStates),
    /** Ids of the tool calls that the request asks for and that have no answer yet; empty if unknown. */
    calls: z.array(z.string()),
    /** Offsets up to which the session's transcripts were read for signs that the concern is resolved. */
    readTo: z.record(z.string(), z.number()).optional(),
    /** True if all calls of the request had an answer when the worker first looked. */
    wasAnswered: z.literal(true).optional(),
    /** Size of the transcript when the worker last looked, in bytes. If the transcript grows, the session went on. */
    transcriptBytes: z.number().optional(),
    /**
     * True if the agent's process was still running shortly after the event. Only then does the end of the process
     * resolve the concern.
     */
    wasAgentSeen: z.literal(true).optional(),
    /** True for the end of a turn in which the agent only replied to another agent's message. */
    isReplyToMate: z.literal(true).optional(),
    acknowledgedAtMs: z.number().optional(),
    /** Time since when the agent said that it waits for the user, as seen after the event. */
    saidWaitingAtMs: z.number().optional(),
    /** Time of a prompt by a yet unknown author. If a person typed it, it answers the request. */
    likelyAnsweredAtMs: z.number().optional(),
    resolvedAtMs: z.number().optional(),
    resolvedBy: z.string().optional(),
    /** Event without its payload, for rendering the message again when it changes. */
    event: z.record(z.string(), z.unknown()).transform((event) => event as unknown as AgentEvent),
    facts: z.record(z.string(), z.unknown()).transform((facts) => facts as Facts),
    /** Visible messages by notifier, newest last. */
    messages: z.record(z.string(), z.array(messageSchema())),
  }),
);

/** Reason to notify the user: a request, the end of a turn, or a failure in a session. */
export type Concern = Readonly<z.output<ReturnType<typeof concernSchema>>>;

/** Schema of the part of an alert's file that says where its session runs. */
export const sessionSchema = once(() =>
  z.object({
    /** Key of the session's thread, which is also the name of the file. */
    key: z.string(),
    /** True if beckon on another machine sends the session's events. */
    isRelayed: z.literal(true).optional(),
    sessionId: z.string().optional(),
    /** Folder in which the session started. */
    projectDir: z.string().optional(),
    /** Last event of the session. */
    lastEvent: z.string(),
  }),
);

export type Session = Readonly<z.output<ReturnType<typeof sessionSchema>>>;

/** Schema of the file that stores a session's alert. */
export const alertSchema = once(() =>
  sessionSchema().extend({
    v: z.literal(1),
    agent: z.string(),
    host: z.string().optional(),
    cwd: z.string().optional(),
    project: z.string(),
    place: z
      .object({ folder: z.string(), worktree: z.string().optional(), realPath: z.string().optional() })
      .optional(),
    /** Title of the session, if a lookup found it. */
    title: z.string().optional(),
    transcriptPath: z.string().optional(),
    /** Ids of the processes from the hook up to the agent, which is the last one. */
    processes: z.array(z.number()).optional(),
    /** Start time of the agent's process, which distinguishes the agent from a later process with the same id. */
    agentStartTicks: z.string().optional(),
    /** Device number of the agent's terminal. */
    terminalDevice: z.number().optional(),
    /** Terminal of the session, as found in the hook's environment. */
    terminal: z
      .record(z.string(), z.unknown())
      .transform((env) => recordedTerminal(env))
      .optional(),
    /** Event that ended the session's last turn, even if nobody was notified of it. */
    turnEnd: z.object({ id: z.string(), atMs: z.number(), turnId: z.string().optional() }).optional(),
    /** Time of the last prompt from the user. */
    promptedAtMs: z.number().optional(),
    /** Time since when the agent waited in the last dialog that the user was notified of by its state alone. */
    dialogAtMs: z.number().optional(),
    lastAtMs: z.number(),
    concerns: z.array(concernSchema()),
  }),
);

/** Record of a session with its concerns, and the messages that were sent about them. */
export type Alert = Readonly<z.output<ReturnType<typeof alertSchema>>>;

/** True if a concern is not resolved yet. */
export function isOpen({ state }: Pick<Concern, "state">): boolean {
  return state !== "resolved";
}

/** True if the user resolved the concern with beckon, by marking it as seen or with a button in a message. */
export function isResolvedByUser({ resolvedBy = "" }: Pick<Concern, "resolvedBy">): boolean {
  return ["seen", "button"].includes(resolvedBy);
}

/** True if the concern has a message that was sent and not withdrawn yet. */
export function hasMessage({ messages }: Pick<Concern, "messages">): boolean {
  return Object.values(messages).some((sent) => sent.length > 0);
}

/** True if a message must be withdrawn, because its concern is resolved or a newer message replaces it. */
export function isStale(
  concern: Pick<Concern, "state">,
  { supersededAtMs }: Pick<SentMessage, "supersededAtMs">,
): boolean {
  return !isOpen(concern) || supersededAtMs !== undefined;
}

/** Returns the time of the newest message about any of an alert's concerns, Unix milliseconds; 0 if there is none. */
export function newestMessageAtMs({ concerns }: Pick<Alert, "concerns">): number {
  const sent = concerns.flatMap(({ messages }) => Object.values(messages).flat());
  return Math.max(0, ...sent.map(({ atMs }) => atMs));
}

/** Lists an alert's concerns that are not resolved, oldest first. */
export function openConcerns({ concerns }: Pick<Alert, "concerns">): readonly Concern[] {
  return concerns.filter(isOpen);
}

/** Replaces each open concern of an alert by the result of `change`. */
export function changeOpen(alert: Alert, change: (concern: Concern) => Concern): Alert {
  return { ...alert, concerns: alert.concerns.map((concern) => (isOpen(concern) ? change(concern) : concern)) };
}

/** Returns the concern as resolved. */
export function resolved(concern: Concern, resolvedBy: string, nowMs: number): Concern {
  return { ...concern, state: "resolved", resolvedBy, resolvedAtMs: nowMs };
}

/** Returns the concern as acknowledged; unchanged if it already was. */
export function acknowledged(concern: Concern, atMs: number): Concern {
  return concern.state === "acknowledged" ? concern : { ...concern, state: "acknowledged", acknowledgedAtMs: atMs };
}

/** Longest time from a hook that asks about a tool call until the transcript shows the call, in milliseconds. */
const transcriptDelayMs = 1_000;

/**
 * Finds the ids of the tool calls that a request asks for, or in which an MCP server asks. If the payload has a call id, returns that id, or no id if
 * that call already has an answer. Without a call id, looks at the calls that had no answer when the hook ran, and
 * returns the call with the payload's tool and input; or else the calls with the payload's tool; or else the calls
 * whose tool the message names; or else all of them.
 * @param taken ids of calls to leave out if the payload has no call id, because other open requests ask for them
 * @returns ids; empty if no call is known. The request stays open until all these calls have answers.
 */
export function findAskedCalls(
  event: AgentEvent,
  { work, openCalls = [] }: FoundFacts,
  taken: ReadonlySet<string> = new Set(),
): readonly string[] {
  const { atMs, extra, message = "", dialog } = event;
  const asker = extra.agent_id;
  const unanswered = (work?.calls ?? []).filter(
    ({ agent, answeredAtMs = Number.POSITIVE_INFINITY }) =>
      answeredAtMs > atMs && (asker === undefined || agent === asker),
  );
  const callId = readCallId(extra);
  if (callId !== undefined) {
    const isUsedBefore = work?.calls.some(({ id }) => id === callId) && !unanswered.some(({ id }) => id === callId);
    return isUsedBefore ? [] : [callId];
  }
  const open = unanswered.filter((call) => (call.atMs ?? 0) <= atMs + transcriptDelayMs);
  if (dialog) return open.flatMap(({ id, tool }) => (tool?.startsWith(dialog.tools) ? [id] : []));
  const free = open.filter(({ id }) => !taken.has(id));
  const tool = extra.tool_name ?? extra.toolName;
  const sameTool = free.filter((call) => tool !== undefined && call.tool === tool);
  const same = sameTool.find(({ input }) => isDeepStrictEqual(input, readToolInput(extra)));
  if (same) return [same.id];
  const named = free.filter((call) => call.tool !== undefined && isNamed(call.tool, message));
  const found = [sameTool, named, free].find((calls) => calls.length > 0) ?? [];
  const ids = (calls: readonly ToolCall[]) => calls.map(({ id }) => id);
  // Of a call that began before the part of the transcript that was read, only the id is known.
  return work?.calls.length || asker !== undefined ? ids(found) : openCalls.filter((id) => !taken.has(id));
}

/** True if a message names a tool, in words if another program offers the tool. */
function isNamed(tool: string, message: string): boolean {
  const { server } = readTool(tool);
  const isInWords = server !== undefined && message.includes(describeRequests([readTool(tool)]).message);
  return isInWords || message.split(/\W+/).includes(tool);
}

/** Activity of a session without open concerns. */
export interface Activity {
  /**
   * `waiting (seen)`: the user saw a request but has not answered it. `dialog`: the agent waits in a dialog that it sent
   * no request about.
   */
  readonly state: "working" | "waiting (seen)" | "dialog" | "idle" | "interrupted" | "done" | "ended";
  /** Beginning of the state, Unix milliseconds. */
  readonly sinceMs: number;
  /** Agent's words for what a session waits for that sent no request. */
  readonly waitingFor?: string | undefined;
}

/** Returns the activity of a session without open concerns by its events. */
export function describeActivity(alert: Alert): Activity {
  const { lastEvent, lastAtMs, promptedAtMs = 0, concerns } = alert;
  const last = concerns.at(-1);
  if (lastEvent === "SessionEnd" || last?.resolvedBy === "agent gone") return { state: "ended", sinceMs: lastAtMs };
  if (lastEvent === "Stop" || lastEvent === "StopFailure") return { state: "done", sinceMs: lastAtMs };
  if (last && isUnanswered(last, alert)) return { state: "waiting (seen)", sinceMs: last.atMs };
  const answeredAtMs = lastEvent === promptEvent ? 0 : (last?.resolvedAtMs ?? 0);
  return { state: "working", sinceMs: Math.max(promptedAtMs, answeredAtMs) || lastAtMs };
}

/** True if the user has marked a request as seen but not answered it: the session has done nothing since then. */
function isUnanswered(concern: Concern, { lastAtMs, isRelayed, transcriptPath }: Alert): boolean {
  const { kind, atMs, transcriptBytes } = concern;
  if (kind !== "needs-you" || !isResolvedByUser(concern) || lastAtMs > atMs) return false;
  if (isRelayed || transcriptPath === undefined || transcriptBytes === undefined) return true;
  const size = quietly(() => statSync(transcriptPath).size) ?? 0; // without one, nothing says that the session went on
  return size <= transcriptBytes;
}
