import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isOpen } from "../attention/alert.ts";
import { notifierThreadKey, threadKey } from "../attention/session-keys.ts";
import { listChoices, listUsers, readerId } from "../config/answer-rights.ts";
import type { AgentEvent } from "../core/event.ts";
import type { AnswerButton, AnswerOffer, ButtonPress, Receipt } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { change, isWithdrawn, type SentEvent } from "../follow-up/withdraw.ts";
import { identifyEvent } from "../journal/journal-line.ts";
import { findConcern } from "../pipeline/alerts.ts";
import type { Failure } from "../pipeline/attempt.ts";
import type { RunContext } from "../pipeline/context.ts";
import { buildOutgoing } from "../pipeline/run-state.ts";
import { cleanLine } from "../text/clean.ts";
import { cut } from "../text/cut.ts";
import { PressReaders } from "./account-reader.ts";
import type { AnswerResult } from "./ask-files.ts";
import { type HeldAsk, type HeldAsks, makeReference } from "./held-asks.ts";

/** Longest name of a person that is shown and journalled, in graphemes. */
const maxNameGraphemes = 40;

const tooLate = "Too late: this can no longer be answered here.";

/** Messages about requests: makes their buttons, judges presses, and shows how each request ended. */
export class AnswerMessages {
  readonly #asks: HeldAsks;
  readonly #tokens = new AnswerTokens();
  readonly readers: PressReaders;
  readonly #showing = new Set<Promise<void>>();

  constructor(asks: HeldAsks) {
    this.#asks = asks;
    this.readers = new PressReaders(asks, (press, names) => this.#judge(press, names));
  }

  /** True while presses are read, or a message is being changed. */
  get busy(): boolean {
    return this.readers.busy || this.#showing.size > 0;
  }

  /** Returns the buttons that a notifier may show for a request; undefined if it may show none. */
  offer(event: AgentEvent, notifier: string): AnswerOffer | undefined {
    const ask = this.#asks.findOpen(event.id);
    const { buttons, denyOnly } = ask ? this.#limit(ask, notifier) : { buttons: [] };
    if (!ask || buttons.length === 0) return undefined;
    const reference = makeReference(ask.id);
    return {
      lines: ask.lines,
      recentCount: ask.recentCount,
      remarks: [],
      ...omitUndefined({ denyOnly }),
      choices: buttons.map((button) => ({ ...button, reference, token: this.#tokens.make(ask, button, notifier) })),
      needsSeveral: ask.isMultiple === true || (ask.form?.questions.length ?? 0) > 1,
      markShown: (receipt) => this.#noteShown(ask, notifier, receipt),
      press: (token) => void this.#press(ask, notifier, { token }),
    };
  }

  /** Lists the buttons that a notifier may offer for a request, because the user permits it and all is shown. */
  #limit(ask: HeldAsk, notifier: string) {
    const { answers, notifiers } = this.#asks.context.config;
    const { maxChars = Number.POSITIVE_INFINITY, maxFormChars = maxChars } =
      notifiers.get(notifier)?.notifier.lifecycle?.answers ?? {};
    const isCut = ask.denyOnly === undefined && ask.lines.join("\n").length > (ask.form ? maxFormChars : maxChars);
    const may = listChoices(answers, notifier);
    const all = listButtons(ask);
    const isCrowded = all.length > maxButtons;
    const isOffered = ({ choice }: Button) => may.includes(choice) && (choice === "deny" || !(isCut || isCrowded));
    const denyOnly = isCut ? "it is too long to be shown whole" : isCrowded ? "it has too many options" : ask.denyOnly;
    return { buttons: all.filter(isOffered), denyOnly: may.includes("allow") ? denyOnly : undefined };
  }

  #noteShown(ask: HeldAsk, notifier: string, receipt: Receipt | undefined): void {
    const { config, ports } = this.#asks.context;
    ask.shownAtMs.set(notifier, ports.clock.uptimeMs());
    if (!receipt) return;
    ask.receipts.set(notifier, [...(ask.receipts.get(notifier) ?? []), receipt]);
    const configured = config.notifiers.get(notifier);
    if (configured && this.#asks.findOpen(ask.id)) void this.readers.follow(configured);
  }

  #press(
    ask: HeldAsk,
    notifier: string,
    { token, by, ...named }: Partial<AnswerButton> & { readonly token: string; readonly by?: string | undefined },
  ): AnswerResult {
    const { buttons } = this.#limit(ask, notifier);
    const button = buttons.find((candidate) => this.#tokens.isFor(ask, candidate, notifier, token));
    const isNamed = named.choice === undefined || (named.choice === button?.choice && named.pick === button.pick);
    if (!button || !isNamed) {
      const reason = "the button is unknown or no longer valid";
      return this.#asks.refuse(identifyEvent(ask.event), { via: notifier, ...omitUndefined({ by }) }, reason);
    }
    const shownAtMs = ask.shownAtMs.get(notifier) ?? Number.POSITIVE_INFINITY;
    return this.#asks.answer(ask, { ...button, via: notifier, by }, shownAtMs);
  }

  /**
   * Judges a press that the receiver of these notifiers reported. A press answers a request only if a listed user pressed
   * a valid button on the very message that was sent.
   * @returns a text for the user; undefined if the user gets no reply
   */
  #judge(press: ButtonPress, names: readonly string[]): string | undefined {
    const { user, button, problem, receipt } = press;
    const by = describePerson(press);
    const line = { via: names.join(", "), ...omitUndefined({ by }) };
    const refuse = (reason: string, ask?: HeldAsk): undefined =>
      void this.#asks.refuse(ask ? identifyEvent(ask.event) : { id: readerId(names) }, line, reason);
    const { answers } = this.#asks.context.config;
    const isListed = (name: string): boolean => user !== undefined && listUsers(answers, name)?.includes(user) === true;
    if (problem !== undefined) return refuse(problem);
    if (!names.some(isListed)) return refuse("this user is not in `users`");
    if (button === undefined || button === "seen") {
      refuse("the button is none of beckon's");
      return tooLate;
    }
    const { reference, choice } = button;
    const ask = this.#asks.open.find(({ id }) => makeReference(id) === reference);
    if (!ask) {
      const ended = this.#asks.findEnded(reference);
      if (ended) this.#asks.journal(ended, { status: "late", choice, ...line });
      else refuse("its request is unknown: the button is from an earlier worker");
      return tooLate;
    }
    const notifier = names.find((name) => ask.receipts.get(name)?.some((sent) => isDeepStrictEqual(sent, receipt)));
    if (notifier === undefined) {
      refuse("its message is not the one that beckon sent, or has been changed", ask);
      return "Not answered: this message has been changed.";
    }
    if (!isListed(notifier)) return refuse("this user is not in `users`", ask);
    return this.#press(ask, notifier, { ...button, by }).text;
  }

  /** Shows in a request's messages how it ended, in the background. Ends reads that are no longer needed. */
  showEnd(ask: HeldAsk): void {
    this.readers.prune();
    const showing = showOutcome(ask, this.#asks).finally(() => this.#showing.delete(showing));
    this.#showing.add(showing);
  }
}

type Button = Pick<AnswerButton, "choice" | "pick" | "label">;

/** Maximum number of buttons for a form. */
const maxButtons = 8;
/** Maximum length of a button's label, in graphemes. */
const maxLabelGraphemes = 32;

/**
 * Lists the buttons that answer a request: one for each option of a form, one that sends the chosen options if there may
 * be several, and those that allow and deny.
 */
function listButtons({ choices, options = [], isMultiple }: HeldAsk): Button[] {
  const picks = options.map((label, at): Button => {
    const text = cut(cleanLine(label), maxLabelGraphemes, "graphemes");
    return { choice: "allow", pick: at + 1, label: `${at + 1} ${text}` };
  });
  const others = choices
    .filter((choice) => choice === "deny" || isMultiple !== false)
    .map((choice): Button => ({ choice, ...(choice === "allow" && options.length > 0 && { label: "OK" }) }));
  return choices.includes("allow") ? [...picks, ...others] : others;
}

/** Makes and checks the tokens of answer buttons. The key is random and never leaves this process. */
class AnswerTokens {
  readonly #key = randomBytes(32);

  /** Makes the 22-character token with which one notifier can give one answer to one request. */
  make({ event, hash }: Pick<HeldAsk, "event" | "hash">, { choice, pick = 0 }: Button, notifier: string): string {
    const text = JSON.stringify([event.id, choice, pick, hash, notifier]);
    return createHmac("sha256", this.#key).update(text).digest("base64url").slice(0, 22);
  }

  /** True if a token is that of a button. */
  isFor(ask: HeldAsk, button: Button, notifier: string, token: string): boolean {
    const [given, expected] = [Buffer.from(token), Buffer.from(this.make(ask, button, notifier))];
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

/** Names a person by name and id: `Ann (4242)`. */
function describePerson({ user, userName = "" }: ButtonPress): string | undefined {
  if (user === undefined) return undefined;
  const name = cut(cleanLine(userName), maxNameGraphemes, "graphemes");
  return name === "" ? String(user) : `${name} (${user})`;
}

/** Most attempts at changing a message, and the pause after the first unless the receiver names one. */
const [maxAttempts, pauseMs] = [5, 2_000];

/**
 * Replaces the buttons of a request's messages by its outcome, if it has one. Leaves out messages that are withdrawn
 * anyway. Never throws.
 */
async function showOutcome({ event, receipts }: HeldAsk, asks: HeldAsks): Promise<void> {
  const { context } = asks;
  const outcome = asks.findOutcome(event);
  const messages = outcome ? [...receipts].flatMap(([name, all]) => all.map((receipt) => ({ name, receipt }))) : [];
  const changes = messages.map(({ name, receipt }) =>
    context.threads.run(notifierThreadKey(name, threadKey(event)), async () => {
      const configured = context.config.notifiers.get(name);
      if (!configured?.notifier.update) return;
      const facts = findConcern(event, context)?.facts ?? {};
      const sent = { ...buildOutgoing(configured, [{ event, facts }]), receipt, ...omitUndefined({ outcome }) };
      if (isCurrent(sent, context)) await changeMessage(sent, context);
    }),
  );
  await Promise.all(changes);
}

/** True if a message still has its buttons, and nothing else is about to change it. */
function isCurrent({ event, configured, receipt }: SentEvent, context: RunContext): boolean {
  const concern = findConcern(event, context);
  if (!concern) return true;
  if (!isOpen(concern)) return !configured.notifier.withdraw || !isWithdrawn(configured, context);
  const messages = concern.messages[configured.name] ?? [];
  const sent = messages.find((message) => isDeepStrictEqual({ ...message.receipt }, { ...receipt }));
  return sent?.supersededAtMs === undefined;
}

/** Changes a message, again after transient failures. */
async function changeMessage(sent: SentEvent, context: RunContext): Promise<void> {
  let failure: Failure | undefined;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    ({ failure } = await change("update", sent, context));
    if (!failure?.isTransient || attempt === maxAttempts) break;
    await context.ports.clock.wait(failure.retryAfterMs ?? pauseMs * attempt);
  }
  const line = failure
    ? ({ status: "skipped", reason: `it could not be changed: ${failure.reason}: ${failure.message}` } as const)
    : ({ status: "updated" } as const);
  context.journal.write({ ...identifyEvent(sent.event), notifier: sent.configured.name, ...line });
}
