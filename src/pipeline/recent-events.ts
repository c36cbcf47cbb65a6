import * as z from "zod";
import { readCallId, toolInputOf } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import { once } from "../core/once.ts";
import { kinds } from "../core/vocabulary.ts";
import { fingerprint, readStateFile, writeStateFile } from "../files/state-file.ts";

const recentEventSchema = once(() =>
  z.object({
    id: z.string(),
    atMs: z.number(),
    agent: z.string(),
    session: z.string(),
    event: z.string(),
    nativeEvent: z.string(),
    type: z.string().optional(),
    turn: z.string().optional(),
    kind: z.enum(kinds),
    /** Fingerprint of what it said or asked for. */
    text: z.string(),
    /** Fingerprint of the calls that wait for the user, where it asks for something. */
    calls: z.string().optional(),
    /** An event that was skipped is no reason to skip another. */
    skipped: z.boolean(),
  }),
);
/** An event of the last minutes, as far as later events are compared with it. */
export type RecentEvent = Readonly<z.output<ReturnType<typeof recentEventSchema>>>;

const memoryMs = 5 * 60_000;
const memoryEvents = 500;

/** The events of the last five minutes, 500 at most; kept in a file, so that they outlive the worker. */
export class RecentEvents {
  #events: readonly RecentEvent[];
  readonly #file: string;
  #changed = false;

  constructor(file: string) {
    this.#file = file;
    this.#events = readStateFile(file, () => z.array(recentEventSchema()), []);
  }

  /** Events of the same session; the event itself too if it was added before. */
  ofSession(event: AgentEvent): readonly RecentEvent[] {
    const session = sessionOf(event);
    return this.#events.filter((one) => one.agent === event.agent && one.session === session);
  }

  /** Adds an event, in place of what is known under its id, and forgets what is too old by its time. */
  add(event: AgentEvent, facts: Facts): void {
    const { id, atMs } = event;
    const kept = this.#events.filter((one) => one.id !== id && Math.abs(atMs - one.atMs) < memoryMs);
    this.#events = [...kept, recentEventOf(event, facts)].slice(-memoryEvents);
    this.#changed = true;
  }

  /**
   * Notes what an event that was judged again has come to, unless it is forgotten. Its time, long ago, ages no other.
   */
  replace(event: AgentEvent, facts: Facts): void {
    this.#events = this.#events.map((one) => (one.id === event.id ? recentEventOf(event, facts) : one));
    this.#changed = true;
  }

  /** Writes the events to disk if there are new ones. Without them the user hears of something twice at worst. */
  save(): void {
    if (!this.#changed) return;
    this.#changed = !writeStateFile(this.#file, this.#events);
  }
}

/** An event as later ones are compared with it. */
export function recentEventOf(event: AgentEvent, { openCalls }: Facts): RecentEvent {
  const { id, atMs, agent, nativeEvent, kind, message, lastMessage, extra } = event;
  // A session ends once, whatever turn the end names and whatever it says.
  const isEnd = event.event === "SessionEnd";
  // Only of a request: the transcript goes on while two hooks of one event read it.
  const asked = kind === "needs-you" ? openCalls : undefined;
  return {
    id,
    atMs,
    agent,
    session: sessionOf(event),
    event: event.event,
    nativeEvent,
    type: event.notificationType,
    turn: isEnd ? undefined : event.turnId,
    kind,
    ...(asked !== undefined && { calls: fingerprint([asked]) }),
    text: fingerprint(isEnd ? [] : [message, lastMessage, toolInputOf(extra), readCallId(extra) ?? asked]),
    skipped: event.skip !== undefined,
  };
}

/** What tells an event's session from all others, of other agents too. */
export function sessionKeyOf(event: AgentEvent): string {
  return JSON.stringify([event.agent, sessionOf(event)]);
}

/** A session without an id goes by its folder. */
function sessionOf({ sessionId, cwd }: AgentEvent): string {
  return sessionId ?? `in ${cwd}`;
}
