import { isUrgent, type Sent } from "./envelope.ts";
import { countWaiting, hasRoom, type Inbox, receive, type Sender } from "./receive.ts";

/** How often it is tried again where the spool is full, or the disk. */
const fullMs = 200;
const roomMs = 20;
/** Most that are acknowledged at once. */
const maxBatch = 32;

/** What was sent, and by whom. */
export interface Arrival {
  readonly sent: Sent;
  readonly sender: Sender;
}

/** Calls of an intake to its connection. */
interface IntakeAnswers {
  /** Called with the ids of what is stored. */
  readonly acknowledge: (ids: readonly string[]) => Promise<void>;
  /** Called with what cannot be read, beyond its machine's budget; it is neither stored nor acknowledged. */
  readonly refuse: (arrival: Arrival) => void;
}

/**
 * Takes in what one connection sends, what is urgent first, the machines behind it in turn, and acknowledges it once it
 * is stored.
 */
export class Intake {
  readonly #inbox: Inbox;
  readonly #capacity: number;
  readonly #answers: IntakeAnswers;
  /** When each machine's last arrival was taken, as a count. */
  readonly #takenAt = new Map<string, number>();
  #taken = 0;
  readonly #queue: Arrival[] = [];
  #isBusy = false;
  #hasEnded = false;

  /** @param capacity most that may wait here */
  constructor(inbox: Inbox, capacity: number, answers: IntakeAnswers) {
    this.#inbox = inbox;
    this.#capacity = capacity;
    this.#answers = answers;
  }

  /** Takes something in. False where too much waits already: the other side does not wait for acknowledgements. */
  add(arrival: Arrival): boolean {
    if (this.#queue.length >= this.#capacity) return false;
    this.#queue.push(arrival);
    if (!this.#isBusy) void this.#work();
    return true;
  }

  /** Resolves once there is room for one more, or this has ended. */
  async room(): Promise<void> {
    while (this.#queue.length >= this.#capacity && !this.#hasEnded) await this.#inbox.clock.wait(roomMs);
  }

  /** What has not been stored yet is sent again over the next connection. */
  end(): void {
    this.#hasEnded = true;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#queue.length > 0 && !this.#hasEnded) {
      const waiting = this.#queue.length;
      const stored = await this.#storeBatch();
      if (stored.length > 0) await this.#answers.acknowledge(stored);
      else if (this.#queue.length === waiting) await this.#inbox.clock.wait(fullMs);
    }
    this.#isBusy = false;
  }

  /** Stores what there is room for. Returns the ids of what is stored. */
  async #storeBatch(): Promise<string[]> {
    const stored: string[] = [];
    const waiting = countWaiting(this.#inbox.paths);
    while (stored.length < maxBatch) {
      const next = this.#next();
      if (!next || !hasRoom(waiting + stored.length, isUrgent(next.sent))) break;
      let isTaken: boolean;
      try {
        isTaken = await receive(next.sent, next.sender, this.#inbox);
      } catch {
        break; // no room on the disk
      }
      this.#queue.splice(this.#queue.indexOf(next), 1);
      if (isTaken) stored.push(next.sent.id);
      else this.#answers.refuse(next);
    }
    return stored;
  }

  /** Chooses the first of what is urgent, else of all, from the machine whose turn was longest ago. */
  #next(): Arrival | undefined {
    const urgent = this.#queue.filter(({ sent }) => isUrgent(sent));
    const lastTurn = ({ sender: { host } }: Arrival): number => this.#takenAt.get(host) ?? 0;
    const candidates = urgent.length > 0 ? urgent : this.#queue;
    const next = candidates.toSorted((a, b) => lastTurn(a) - lastTurn(b))[0];
    this.#taken += 1;
    if (next) this.#takenAt.set(next.sender.host, this.#taken);
    return next;
  }
}
