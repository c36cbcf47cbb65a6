import { isDeepStrictEqual } from "node:util";
import { isOpen } from "../attention/alert.ts";
import { notifierThreadKey } from "../attention/session-keys.ts";
import type { ConfiguredNotifier } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import type { AnswerOffer, Receipt } from "../core/notifier-call.ts";
import { change, isWithdrawn } from "../follow-up/withdraw.ts";
import { identifyEvent } from "../journal/journal-line.ts";
import { findConcern } from "../pipeline/alerts.ts";
import type { Failure } from "../pipeline/attempt.ts";
import type { RunContext } from "../pipeline/context.ts";
import { type AskOutcome, buildOutgoing } from "../pipeline/run-state.ts";
import { PressReaders, type ReaderHost } from "./account-reader.ts";
import { AnswerButtons, type ButtonHost } from "./answer-buttons.ts";
import type { HeldAsk } from "./open-asks.ts";

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

/** Most attempts at changing a message, and the pause after the first unless the receiver names one. */
const [maxAttempts, pauseMs] = [5, 2_000];

/**
 * Replaces the buttons of a request's messages by its outcome. Leaves out messages that are withdrawn anyway. Retries
 * after transient failures. Never throws.
 */
async function showOutcome(ask: HeldAsk, outcome: AskOutcome, context: RunContext): Promise<void> {
  const changes = [...ask.receipts].flatMap(([name, receipts]) => {
    const configured = context.config.notifiers.get(name);
    if (!configured?.notifier.update) return [];
    const queue = notifierThreadKey(name, ask.thread);
    return receipts.map((receipt) =>
      context.threads.run(queue, async () => {
        if (isCurrent(ask, { configured, receipt }, context))
          await changeMessage(ask, { configured, receipt, outcome }, context);
      }),
    );
  });
  await Promise.all(changes);
}

interface Shown {
  readonly configured: ConfiguredNotifier;
  readonly receipt: Receipt;
}

/** True if a message still has its buttons, and nothing else is about to change it. */
function isCurrent({ event }: HeldAsk, { configured, receipt }: Shown, context: RunContext): boolean {
  const concern = findConcern(event, context);
  if (!concern) return true;
  if (!isOpen(concern)) return !configured.notifier.withdraw || !isWithdrawn(configured, context);
  const sent = concern.messages[configured.name]?.find((message) =>
    isDeepStrictEqual({ ...message.receipt }, { ...receipt }),
  );
  return sent?.supersededAtMs === undefined;
}

async function changeMessage(
  { event }: HeldAsk,
  { configured, receipt, outcome }: Shown & { readonly outcome: AskOutcome },
  context: RunContext,
): Promise<void> {
  const facts = findConcern(event, context)?.facts ?? {};
  const sent = { ...buildOutgoing(configured, [{ event, facts }]), receipt, outcome };
  let failure: Failure | undefined;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    ({ failure } = await change("update", sent, context));
    if (!failure?.isTransient || attempt === maxAttempts) break;
    await context.ports.clock.wait(failure.retryAfterMs ?? pauseMs * attempt);
  }
  const line = failure
    ? ({ status: "skipped", reason: `it could not be changed: ${failure.reason}: ${failure.message}` } as const)
    : ({ status: "updated" } as const);
  context.journal.write({ ...identifyEvent(event), notifier: configured.name, ...line });
}
