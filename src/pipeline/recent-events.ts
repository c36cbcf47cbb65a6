import * as z from "zod";
import { identifySession } from "../attention/session-keys.ts";
import { readCallId, readToolInput } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts, FoundFacts } from "../core/facts.ts";
import { asText } from "../core/json-value.ts";
import { once } from "../core/once.ts";
import { answerEvent, kinds } from "../core/vocabulary.ts";
import { fingerprint, readStateFile, writeStateFile } from "../files/atomic-file.ts";
import { describeRequests } from "../text/request.ts";
import { minuteMs } from "../text/time.ts";

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
    /** Fingerprint of the event's message, answer or request. */
    text: z.string(),
    /** Fingerprint of the tool calls that wait for the user, if the event asks for them. */
    calls: z.string().optional(),
    /** Set if the event opens or ends the dialog of an MCP server. */
    dialog: z.enum(["opens", "ends"]).optional(),
    /** Id of the sub-agent whose event it is. */
    subAgent: z.string().optional(),
    /** Id of the call whose request the event answers. */
    answers: z.string().optional(),
    /** True if the event was skipped. No later event counts as a repeat of a skipped event. */
    skipped: z.boolean(),
  }),
);

/** Recent event, reduced to the fields that are compared with later events. */
export type RecentEvent = Readonly<z.output<ReturnType<typeof recentEventSchema>>>;

const retentionMs = 5 * minuteMs;
const maxEvents = 500;

/** Events of the last five minutes, 500 at most. Stored in a file that outlives the worker. */
export class RecentEvents {
  #events: readonly RecentEvent[];
  readonly #file: string;
  #changed = false;

  constructor(file: string) {
    this.#file = file;
    this.#events = readStateFile(file, () => z.array(recentEventSchema()), []);
  }

  /** Lists the recent events of an event's session, including the event itself if it was added before. */
  listSession(event: AgentEvent): readonly RecentEvent[] {
    const session = identifySession(event);
    return this.#events.filter((known) => known.agent === event.agent && known.session === session);
  }

  /** Adds or replaces an event. Drops events that are more than five minutes older or newer than it. */
  add(event: AgentEvent, facts: Facts): void {
    const { id, atMs } = event;
    const kept = this.#events.filter((known) => known.id !== id && Math.abs(atMs - known.atMs) < retentionMs);
    this.#events = [...kept, toRecentEvent(event, facts)].slice(-maxEvents);
    this.#changed = true;
  }

  /** Replaces an event that was judged again, if it is still stored. Unlike `add`, never drops other events. */
  replace(event: AgentEvent, facts: Facts): void {
    this.#events = this.#events.map((known) => (known.id === event.id ? toRecentEvent(event, facts) : known));
    this.#changed = true;
  }

  /** Saves new events to disk. If the file is lost, the user may be notified twice of an event. */
  save(): void {
    if (!this.#changed) return;
    this.#changed = !writeStateFile(this.#file, this.#events);
  }
}

/** Reduces an event to the fields that are compared with later events. */
export function toRecentEvent(event: AgentEvent, facts: FoundFacts): RecentEvent {
  const { id, atMs, agent, nativeEvent, kind, message, lastMessage, extra, dialog } = event;
  // A session ends only once, so its turn and text do not matter.
  const isEnd = event.event === "SessionEnd";
  // Only for requests. The transcript may change while two hooks for the same event read it. A server asks while its
  // tool's call is open, though the call is no longer in question.
  const asked = kind === "needs-you" && dialog === undefined ? facts.openCalls : undefined;
  return {
    id,
    atMs,
    agent,
    session: identifySession(event),
    event: event.event,
    nativeEvent,
    type: event.notificationType,
    turn: isEnd ? undefined : event.turnId,
    kind,
    ...(asked !== undefined && asksForCalls(event, facts) && { calls: fingerprint([asked]) }),
    ...(dialog && { dialog: dialog.isAnswered ? "ends" : "opens" }),
    subAgent: asText(extra.agent_id),
    answers: event.event === answerEvent ? readCallId(extra) : undefined,
    text: fingerprint(isEnd ? [] : [message, lastMessage, readToolInput(extra), readCallId(extra) ?? asked]),
    skipped: event.skip !== undefined,
  };
}

/** True if a request is about the open calls: one for permission, or one whose message was taken from these calls. */
function asksForCalls({ notificationType, message, cwd }: AgentEvent, { work }: FoundFacts): boolean {
  const isPermission = notificationType === undefined || /permission/i.test(notificationType);
  return isPermission || message === describeRequests(work?.requests ?? [], cwd).message;
}

/** Maximum number of events from one other machine about which people are notified in a minute. */
export const ringsPerMinute = 30;

/** Counter, for each other machine, of its events about which people are notified. */
export class PeerRings {
  readonly #times = new Map<string, readonly number[]>();

  /**
   * Counts an event: `call` to notify people, `first` or `leave out` not to. `first` is for the first event that exceeds
   * the limit.
   */
  count(host: string, nowMs: number): "call" | "first" | "leave out" {
    const last = (this.#times.get(host) ?? []).filter((atMs) => nowMs - atMs < minuteMs);
    if (last.length > ringsPerMinute) return "leave out";
    this.#times.set(host, [...last, nowMs]);
    return last.length < ringsPerMinute ? "call" : "first";
  }
}
