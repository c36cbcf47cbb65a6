import { isUrgent, type RawEnvelope } from "./envelope.ts";
import { countWaiting, hasRoom, type Inbox, receive, type Sender } from "./receive.ts";

/** Pause before retrying while the spool or the disk is full. */
const fullRetryMs = 200;
const roomPollMs = 20;
/** Most envelopes acknowledged at once. */
const maxBatch = 32;

/** An envelope and its sender. */
export interface Arrival {
  readonly sent: RawEnvelope;
  readonly sender: Sender;
}

/** Calls of an intake to its connection. */
interface IntakeCallbacks {
  /** Called with the ids of stored envelopes. */
  readonly acknowledge: (ids: readonly string[]) => Promise<void>;
  /** Called with a malformed envelope that exceeds its machine's budget. It is neither stored nor acknowledged. */
  readonly refuse: (arrival: Arrival) => void;
}

/** Stores and acknowledges the envelopes of one connection. Urgent envelopes go first; machines take turns. */
export class Intake {
  readonly #inbox: Inbox;
  readonly #capacity: number;
  readonly #callbacks: IntakeCallbacks;
  /** Turn number of each machine's last envelope. */
  readonly #lastTurns = new Map<string, number>();
  #takenCount = 0;
  readonly #queue: Arrival[] = [];
  #isBusy = false;
  #hasEnded = false;

  /** @param capacity most envelopes that may wait here */
  constructor(inbox: Inbox, capacity: number, callbacks: IntakeCallbacks) {
    this.#inbox = inbox;
    this.#capacity = capacity;
    this.#callbacks = callbacks;
  }

  /** Queues an envelope. False if the queue is full, which means that the other side ignores the window. */
  add(arrival: Arrival): boolean {
    if (this.#queue.length >= this.#capacity) return false;
    this.#queue.push(arrival);
    if (!this.#isBusy) void this.#drain();
    return true;
  }

  /** Resolves once there is room for another envelope, or the intake has ended. */
  async waitForRoom(): Promise<void> {
    while (this.#queue.length >= this.#capacity && !this.#hasEnded) await this.#inbox.clock.wait(roomPollMs);
  }

  /** Ends the intake. The next connection sends everything not stored yet again. */
  end(): void {
    this.#hasEnded = true;
  }

  async #drain(): Promise<void> {
    this.#isBusy = true;
    while (this.#queue.length > 0 && !this.#hasEnded) {
      const waiting = this.#queue.length;
      const stored = await this.#storeBatch();
      if (stored.length > 0) await this.#callbacks.acknowledge(stored);
      else if (this.#queue.length === waiting) await this.#inbox.clock.wait(fullRetryMs);
    }
    this.#isBusy = false;
  }

  /** Stores as many envelopes as fit. Returns their ids. */
  async #storeBatch(): Promise<string[]> {
    const stored: string[] = [];
    const waiting = countWaiting(this.#inbox.paths);
    while (stored.length < maxBatch) {
      const next = this.#next();
      if (!next || !hasRoom(waiting + stored.length, isUrgent(next.sent))) break;
      let isStored: boolean;
      try {
        isStored = await receive(next.sent, next.sender, this.#inbox);
      } catch {
        break; // disk full
      }
      this.#queue.splice(this.#queue.indexOf(next), 1);
      if (isStored) stored.push(next.sent.id);
      else this.#callbacks.refuse(next);
    }
    return stored;
  }

  /** Picks the first urgent envelope, or else any, from the machine that has waited longest for its turn. */
  #next(): Arrival | undefined {
    const urgent = this.#queue.filter(({ sent }) => isUrgent(sent));
    const lastTurn = ({ sender: { host } }: Arrival): number => this.#lastTurns.get(host) ?? 0;
    const candidates = urgent.length > 0 ? urgent : this.#queue;
    const next = candidates.toSorted((a, b) => lastTurn(a) - lastTurn(b))[0];
    this.#takenCount += 1;
    if (next) this.#lastTurns.set(next.sender.host, this.#takenCount);
    return next;
  }
}
