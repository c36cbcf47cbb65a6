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

type Acknowledge = (ids: readonly string[]) => Promise<void>;

/** Takes in what one connection sends, what is urgent first, and acknowledges it once it is stored. */
export class Intake {
  readonly #inbox: Inbox;
  readonly #capacity: number;
  readonly #acknowledge: Acknowledge;
  readonly #queue: Arrival[] = [];
  #isBusy = false;
  #hasEnded = false;

  /** @param capacity most that may wait here */
  constructor(inbox: Inbox, capacity: number, acknowledge: Acknowledge) {
    this.#inbox = inbox;
    this.#capacity = capacity;
    this.#acknowledge = acknowledge;
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
      const stored = await this.#storeBatch();
      if (stored.length > 0) await this.#acknowledge(stored);
      else await this.#inbox.clock.wait(fullMs);
    }
    this.#isBusy = false;
  }

  /** Stores what there is room for. Returns the ids of what is stored. */
  async #storeBatch(): Promise<string[]> {
    const stored: string[] = [];
    const waiting = countWaiting(this.#inbox.paths);
    while (stored.length < maxBatch) {
      const next = this.#queue.find(({ sent }) => isUrgent(sent)) ?? this.#queue[0];
      if (!next || !hasRoom(waiting + stored.length, isUrgent(next.sent))) break;
      try {
        await receive(next.sent, next.sender, this.#inbox);
      } catch {
        break; // no room on the disk
      }
      this.#queue.splice(this.#queue.indexOf(next), 1);
      stored.push(next.sent.id);
    }
    return stored;
  }
}
