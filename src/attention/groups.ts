import type { ClockPort, Timer } from "../core/ports.ts";
import type { Kind } from "../core/vocabulary.ts";

/** Deliveries that are told in one message. */
export interface Group<Member> {
  readonly members: readonly Member[];
  /** Calls `act` for the first who asks, and has the others wait for what came of it. */
  once<T>(act: () => Promise<T>): Promise<T>;
}

interface Gathering<Member> {
  readonly members: Member[];
  readonly openedAtMs: number;
  timer?: Timer;
  readonly close: () => void;
  readonly closed: Promise<Group<Member>>;
}

/** Longest that a group gathers. */
const maxGatherMs = 1_000;

/**
 * Gathers what falls due at the same time for the same notifier. What has to fall due together says `dueTogetherMs`.
 */
export class Groups<Member> {
  readonly #gatherings = new Map<string, Gathering<Member>>();
  readonly #clock: ClockPort;
  readonly #quietMs: number;
  /** When what waits at a notifier falls due, by notifier, Unix milliseconds. */
  readonly #dueAtMs = new Map<string, number>();

  /** @param quietMs a group is complete when nobody has joined for so long */
  constructor(clock: ClockPort, quietMs = 100) {
    this.#clock = clock;
    this.#quietMs = quietMs;
  }

  /** When a delivery that would be due at a time falls due so that it comes with others that wait there already. */
  dueTogetherMs(notifier: string, atMs: number, nowMs: number): number {
    const known = this.#dueAtMs.get(notifier) ?? 0;
    if (known > nowMs && known <= atMs) return known;
    this.#dueAtMs.set(notifier, atMs);
    return atMs;
  }

  /** Joins the group that a notifier gathers. Resolves, with all of it, when nobody else comes. */
  join(notifier: string, member: Member): Promise<Group<Member>> {
    const gathering = this.#gatherings.get(notifier) ?? this.#open(notifier);
    gathering.members.push(member);
    gathering.timer?.cancel();
    const leftMs = gathering.openedAtMs + maxGatherMs - this.#clock.uptimeMs();
    const waitMs = Math.min(this.#quietMs, Math.max(0, leftMs));
    gathering.timer = this.#clock.after(waitMs, gathering.close).ref();
    return gathering.closed;
  }

  #open(notifier: string): Gathering<Member> {
    const members: Member[] = [];
    let close = (): void => {};
    const closed = new Promise<Group<Member>>((resolve) => {
      close = () => {
        this.#gatherings.delete(notifier);
        resolve(groupOf(members));
      };
    });
    const gathering: Gathering<Member> = { members, openedAtMs: this.#clock.uptimeMs(), close, closed };
    this.#gatherings.set(notifier, gathering);
    return gathering;
  }
}

/** A group of these members. */
export function groupOf<Member>(members: readonly Member[]): Group<Member> {
  let outcome: Promise<unknown> | undefined;
  return {
    members,
    once<T>(act: () => Promise<T>) {
      outcome ??= act();
      return outcome as Promise<T>;
    },
  };
}

/** Tells if an event may come in one message with others of its kind. */
export function isGroupable({ kind }: { readonly kind: Kind }): boolean {
  return kind === "finished" || kind === "info";
}
