import { isUrgent, type RawEnvelope } from "./envelope.ts";
import { countWaiting, type Inbox, receive, type Sender } from "./receive.ts";

/** Pause before another attempt while the spool or the disk is full, milliseconds. */
const fullRetryMs = 200;
const roomPollMs = 20;
/** Number of waiting events from which on other machines' events are not stored. Urgent events have a higher limit. */
const maxWaiting = 500;
/** Number of waiting events from which on other machines' urgent events are not stored either. */
const maxWaitingUrgent = 900;
/** Maximum number of envelopes in one acknowledgement. */
const maxBatch = 32;

/** An envelope and its sender. */
export interface Arrival {
  readonly sent: RawEnvelope;
  readonly sender: Sender;
}

/** Callbacks from an intake to its connection. */
interface IntakeCallbacks {
  /** Called with the ids of stored envelopes. */
  readonly acknowledge: (ids: readonly string[]) => Promise<void>;
  /**
   * Called with a malformed envelope whose sender has sent too many of them. The envelope is neither stored nor
   * acknowledged.
   */
  readonly refuse: (arrival: Arrival) => void;
}

/** Stores and acknowledges the envelopes from one connection. Urgent envelopes go first; senders take turns. */
export class Intake {
  readonly #inbox: Inbox;
  readonly #capacity: number;
  readonly #callbacks: IntakeCallbacks;
  /** Number of the turn in which each sender's last envelope was picked. */
  readonly #lastTurns = new Map<string, number>();
  #takenCount = 0;
  readonly #queue: Arrival[] = [];
  #isBusy = false;
  #hasEnded = false;

  /** @param capacity maximum number of queued envelopes */
  constructor(inbox: Inbox, capacity: number, callbacks: IntakeCallbacks) {
    this.#inbox = inbox;
    this.#capacity = capacity;
    this.#callbacks = callbacks;
  }

  /** Queues an envelope. Returns false if the queue is full: the other side has sent more than its window allows. */
  add(arrival: Arrival): boolean {
    if (this.#queue.length >= this.#capacity) return false;
    this.#queue.push(arrival);
    if (!this.#isBusy) void this.#drain();
    return true;
  }

  /** Resolves when the queue has room for another envelope, or the intake has ended. */
  async waitForRoom(): Promise<void> {
    while (this.#queue.length >= this.#capacity && !this.#hasEnded) await this.#inbox.clock.wait(roomPollMs);
  }

  /** Ends the intake. The sender repeats unstored envelopes over the next connection. */
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

  /** Stores queued envelopes, at most `maxBatch`, while the spool has room. Returns the stored ids. */
  async #storeBatch(): Promise<string[]> {
    const stored: string[] = [];
    const waiting = countWaiting(this.#inbox.paths);
    while (stored.length < maxBatch) {
      const next = this.#next();
      if (!next || waiting + stored.length >= (isUrgent(next.sent) ? maxWaitingUrgent : maxWaiting)) break;
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

  /**
   * Picks the next envelope. Urgent ones come first; among these, or else among all, the sender whose last turn was
   * longest ago has the next turn.
   */
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
