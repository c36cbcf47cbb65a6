import type { AgentEvent } from "../core/event.ts";
import type { AnswerOffer } from "../core/notifier-call.ts";
import type { ReaderHost } from "./account-reader.ts";
import { AnswerButtons, type ButtonHost } from "./answer-buttons.ts";
import type { HeldAsk } from "./open-asks.ts";
import { PressReaders } from "./press-readers.ts";
import { showOutcome } from "./show-outcome.ts";

/** Owner of the requests that messages ask about. */
export interface MessageHost extends ButtonHost, Pick<ReaderHost, "paths"> {}

/** Messages about requests: makes their buttons, reads presses, and shows how each request ended. */
export class AnswerMessages {
  readonly #host: MessageHost;
  readonly #buttons: AnswerButtons;
  readonly #readers: PressReaders;
  readonly #showing = new Set<Promise<void>>();

  constructor(host: MessageHost) {
    this.#host = host;
    this.#buttons = new AnswerButtons(host, (notifier) => void this.#readers.follow(notifier, host.context()));
    this.#readers = new PressReaders({
      paths: host.paths,
      clock: host.clock,
      context: () => host.context(),
      isAskedAt: (names) => [...host.open.values()].some(({ receipts }) => names.some((name) => receipts.has(name))),
      judge: (press, entries) => this.#buttons.judge(press, entries),
    });
  }

  /** True while presses are read, or a message is being changed. */
  get busy(): boolean {
    return this.#readers.busy || this.#showing.size > 0;
  }

  /** Returns the buttons that a notifier may show for a request. */
  offer(event: AgentEvent, notifier: string): AnswerOffer | undefined {
    return this.#buttons.offer(event, notifier);
  }

  /** True while the buttons of a notifier's messages are read. */
  isReading(notifier: string): boolean {
    return this.#readers.isReading(notifier);
  }

  /** Shows in a request's messages how it ended, in the background. Ends reads that are no longer needed. */
  showEnd(ask: HeldAsk): void {
    this.#readers.prune();
    const outcome = this.#host.ended.findOutcome(ask.event);
    if (!outcome) return;
    const showing = showOutcome(ask, outcome, this.#host.context()).finally(() => this.#showing.delete(showing));
    this.#showing.add(showing);
  }
}
