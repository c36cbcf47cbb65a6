import * as z from "zod";
import type { AgentEvent } from "../core/event.ts";
import { readStateFile, writeStateFile } from "./state-file.ts";

const recentEventSchema = z.object({
  id: z.string(),
  atMs: z.number(),
  agent: z.string(),
  session: z.string(),
  event: z.string(),
  nativeEvent: z.string(),
  type: z.string().optional(),
  turn: z.string().optional(),
  /** An event that was skipped is no reason to skip another. */
  skipped: z.boolean(),
});
/** An event of the last minutes, as far as later events are compared with it. */
export type RecentEvent = Readonly<z.output<typeof recentEventSchema>>;

const memoryMs = 5 * 60_000;
const memoryEvents = 500;

/** The events of the last five minutes, 500 at most; kept in a file, so that they outlive the worker. */
export class RecentEvents {
  #events: readonly RecentEvent[];
  readonly #file: string;
  #changed = false;

  constructor(file: string) {
    this.#file = file;
    this.#events = readStateFile(file, z.array(recentEventSchema), []);
  }

  /** Events of the same session that came in no later than this one, the event itself left out. */
  before(event: AgentEvent): readonly RecentEvent[] {
    const { id, agent, session, atMs } = recentEventOf(event);
    return this.#events.filter(
      (one) => one.id !== id && one.agent === agent && one.session === session && one.atMs <= atMs,
    );
  }

  /** Adds an event, in place of what is known under its id, and forgets what is too old by its time. */
  add(event: AgentEvent): void {
    const { id, atMs } = event;
    const kept = this.#events.filter((one) => one.id !== id && Math.abs(atMs - one.atMs) < memoryMs);
    this.#events = [...kept, recentEventOf(event)].slice(-memoryEvents);
    this.#changed = true;
  }

  /** Writes the events to disk if there are new ones. Without them the user hears of something twice at worst. */
  save(): void {
    if (!this.#changed) return;
    this.#changed = !writeStateFile(this.#file, this.#events);
  }
}

/** An event as later ones are compared with it. A session without an id goes by its folder. */
export function recentEventOf({ id, atMs, agent, event, nativeEvent, ...rest }: AgentEvent): RecentEvent {
  return {
    id,
    atMs,
    agent,
    session: rest.sessionId ?? `in ${rest.cwd}`,
    event,
    nativeEvent,
    type: rest.notificationType,
    // A session ends once, whatever turn the end names.
    turn: event === "SessionEnd" ? undefined : rest.turnId,
    skipped: rest.skip !== undefined,
  };
}
