import * as z from "zod";
import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import { listOf, objectOf } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { once } from "../core/once.ts";
import { recordedTerminal } from "../core/terminal-environment.ts";
import { kinds } from "../core/vocabulary.ts";

/** States of a concern: no message yet, a message sent, noticed by the user, resolved. */
const concernStates = ["pending", "ringing", "acknowledged", "resolved"] as const;

const messageSchema = once(() =>
  z.object({
    /** What the receiver calls the message; absent where it cannot be changed. */
    receipt: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    /** The message's own id, the same for all concerns that it tells of. */
    group: z.string(),
    atMs: z.number(),
    /** When a newer message took its place; it is to be taken back then, although the concern is open. */
    supersededAtMs: z.number().optional(),
    /** Attempts to take it back, when the last one failed, and when the next one is due, Unix milliseconds. */
    attempts: z.number().optional(),
    failedAtMs: z.number().optional(),
    dueAtMs: z.number().optional(),
  }),
);
/** Message of a notifier about a concern. */
export type SentMessage = Readonly<z.output<ReturnType<typeof messageSchema>>>;

/** Renames fields that earlier versions have stored by other names: `told`, and `movedAtMs` in its messages. */
function renameStored(stored: unknown): unknown {
  const { told, ...others } = objectOf(stored);
  if (told === undefined) return stored;
  const rename = (message: unknown) => {
    const { movedAtMs: supersededAtMs, ...rest } = objectOf(message);
    return omitUndefined({ ...rest, supersededAtMs });
  };
  const messages = Object.entries(objectOf(told)).map(([notifier, all]) => [notifier, listOf(all).map(rename)]);
  return { ...others, messages: Object.fromEntries(messages) };
}

const concernSchema = once(() =>
  z.preprocess(
    renameStored,
    z.object({
      /** Id of the event that raised it. */
      id: z.string(),
      /** When the hook took that event in, Unix milliseconds. */
      atMs: z.number(),
      kind: z.enum(kinds),
      state: z.enum(concernStates),
      /** The calls that it asks for, by the transcript's ids; empty where they are not known. */
      calls: z.array(z.string()),
      /** Size of the transcript a moment after the event, bytes: what it grows by tells that the session goes on. */
      transcriptBytes: z.number().optional(),
      /**
       * Set once the agent's process was seen a moment after the event: only then its end says that the concern is over.
       */
      wasAgentSeen: z.literal(true).optional(),
      /** Set for the end of a turn in which the agent only answered another agent's message. */
      isReplyToMate: z.literal(true).optional(),
      acknowledgedAtMs: z.number().optional(),
      /** Time of a prompt that answers it if a person typed that. */
      likelyAnsweredAtMs: z.number().optional(),
      resolvedAtMs: z.number().optional(),
      resolvedBy: z.string().optional(),
      /** The event and what was found out about it, without payload: what a changed message is rendered from. */
      event: z.record(z.string(), z.unknown()).transform((event) => event as unknown as AgentEvent),
      facts: z.record(z.string(), z.unknown()).transform((facts) => facts as Facts),
      /** The messages that stand, by notifier, the newest last. */
      messages: z.record(z.string(), z.array(messageSchema())),
    }),
  ),
);
/** One thing a session wants of the person, or has to say: a request, the end of a turn, a failure. */
export type Concern = Readonly<z.output<ReturnType<typeof concernSchema>>>;

export const alertSchema = once(() =>
  z.object({
    v: z.literal(1),
    /** The thread's key, and the file's name. */
    key: z.string(),
    agent: z.string(),
    host: z.string().optional(),
    /** Set where another machine's beckon hands its events over. */
    isRelayed: z.literal(true).optional(),
    sessionId: z.string().optional(),
    cwd: z.string().optional(),
    project: z.string(),
    /** Folder in which the session was begun. */
    projectDir: z.string().optional(),
    /** The session's title, as far as it was found. */
    title: z.string().optional(),
    transcriptPath: z.string().optional(),
    /**
     * Processes from the hook up to the agent, and when the last of them started: it tells the agent from a later
     * process.
     */
    processes: z.array(z.number()).optional(),
    agentStartTicks: z.string().optional(),
    /** Where its terminal is, as far as the hook's environment told. */
    terminal: z
      .record(z.string(), z.unknown())
      .transform((env) => recordedTerminal(env))
      .optional(),
    /** When the person last submitted a prompt. */
    promptedAtMs: z.number().optional(),
    lastAtMs: z.number(),
    /** What the session did last, in the words of events. */
    lastEvent: z.string(),
    concerns: z.array(concernSchema()),
  }),
);
/** What concerns the person about one session. */
export type Alert = Readonly<z.output<ReturnType<typeof alertSchema>>>;

/** Whether a concern is still to be told, or told and not over. */
export function isOpen({ state }: Pick<Concern, "state">): boolean {
  return state !== "resolved";
}

/** Whether the person has ended it here: said that it is seen, or pressed a button. */
export function isEndedByPerson({ resolvedBy = "" }: Pick<Concern, "resolvedBy">): boolean {
  return ["seen", "button"].includes(resolvedBy);
}

/** Whether a message tells of a concern. */
export function hasMessage({ messages }: Pick<Concern, "messages">): boolean {
  return Object.values(messages).some((sent) => sent.length > 0);
}

/**
 * Whether a message is to be taken back as far as it tells of a concern: that is over, or a newer message tells of it.
 */
export function isStale(
  concern: Pick<Concern, "state">,
  { supersededAtMs }: Pick<SentMessage, "supersededAtMs">,
): boolean {
  return !isOpen(concern) || supersededAtMs !== undefined;
}

/** Time after its last event for which a session is remembered and shown, milliseconds: a day. */
export const sessionMemoryMs = 24 * 3_600_000;

/** Time of the newest message about any concern of an alert, Unix milliseconds; 0 without one. */
export function newestMessageAtMs({ concerns }: Pick<Alert, "concerns">): number {
  return Math.max(
    0,
    ...concerns.flatMap(({ messages }) =>
      Object.values(messages)
        .flat()
        .map(({ atMs }) => atMs),
    ),
  );
}

/** The concern with one message that a notifier has sent. */
export function withMessage(concern: Omit<Concern, "messages">, notifier: string, message: SentMessage): Concern {
  return { ...concern, messages: { [notifier]: [message] } };
}

/** Concerns of an alert that are not over, oldest first. */
export function openConcerns({ concerns }: Pick<Alert, "concerns">): readonly Concern[] {
  return concerns.filter(isOpen);
}

/** The alert with those of its open concerns changed that `change` returns another value for. */
export function changeOpen(alert: Alert, change: (concern: Concern) => Concern): Alert {
  return { ...alert, concerns: alert.concerns.map((one) => (isOpen(one) ? change(one) : one)) };
}

/** A concern that is over. */
export function resolved(concern: Concern, resolvedBy: string, nowMs: number): Concern {
  return { ...concern, state: "resolved", resolvedBy, resolvedAtMs: nowMs };
}

/** A concern that the person has noticed; the same where that was known. */
export function acknowledged(concern: Concern, atMs: number): Concern {
  return concern.state === "acknowledged" ? concern : { ...concern, state: "acknowledged", acknowledgedAtMs: atMs };
}
