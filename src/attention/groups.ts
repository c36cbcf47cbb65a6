import type { ClockPort, Timer } from "../core/ports.ts";
import type { Kind } from "../core/vocabulary.ts";

/** Deliveries that are sent as one message. */
export interface Group<Member, Outcome> {
  readonly members: readonly Member[];
  /** Outcome of sending the message, which the first of the members that find none sends for all. */
  outcome?: Promise<Outcome>;
}

interface Gathering<Member, Outcome> {
  readonly members: Member[];
  readonly openedAtMs: number;
  timer?: Timer;
  readonly close: () => void;
  readonly closed: Promise<Group<Member, Outcome>>;
}

/** Longest time for which a group waits for members: one second. */
const maxGatherMs = 1_000;

/**
 * Collects deliveries to the same notifier that are due at the same time, so that they can be sent as one message.
 * `dueTogetherMs` gives deliveries the same due time.
 */
export class Groups<Member, Outcome> {
  readonly #gatherings = new Map<string, Gathering<Member, Outcome>>();
  readonly #clock: ClockPort;
  readonly #idleMs: number;
  /** Common due time of each notifier's waiting deliveries, Unix milliseconds. */
  readonly #dueAtMs = new Map<string, number>();

  /** @param idleMs time after which a group is complete if no delivery has joined, in milliseconds */
  constructor(clock: ClockPort, idleMs = 100) {
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  /** Returns a delivery's due time: `atMs`, or an earlier time at which other deliveries to the notifier are due. */
  dueTogetherMs(notifier: string, atMs: number, nowMs: number): number {
    const known = this.#dueAtMs.get(notifier) ?? 0;
    if (known > nowMs && known <= atMs) return known;
    this.#dueAtMs.set(notifier, atMs);
    return atMs;
  }

  /** Adds a member to a notifier's current group. Resolves to the group when the group is complete. */
  join(notifier: string, member: Member): Promise<Group<Member, Outcome>> {
    const gathering = this.#gatherings.get(notifier) ?? this.#open(notifier);
    gathering.members.push(member);
    gathering.timer?.cancel();
    const leftMs = gathering.openedAtMs + maxGatherMs - this.#clock.uptimeMs();
    const waitMs = Math.min(this.#idleMs, Math.max(0, leftMs));
    gathering.timer = this.#clock.after(waitMs, gathering.close).ref();
    return gathering.closed;
  }

  #open(notifier: string): Gathering<Member, Outcome> {
    const members: Member[] = [];
    let close = (): void => {};
    const closed = new Promise<Group<Member, Outcome>>((resolve) => {
      close = () => {
        this.#gatherings.delete(notifier);
        resolve({ members });
      };
    });
    const gathering: Gathering<Member, Outcome> = { members, openedAtMs: this.#clock.uptimeMs(), close, closed };
    this.#gatherings.set(notifier, gathering);
    return gathering;
  }
}

/** True for an event of a kind that may share a message with other events: `finished` and `info`. */
export function isGroupable({ kind }: { readonly kind: Kind }): boolean {
  return kind === "finished" || kind === "info";
}
