import { isDeepStrictEqual } from "node:util";
import { activeMessages, findConcerns } from "../attention/messages.ts";
import { listChoices, listUsers, readerId } from "../config/answer-rights.ts";
import type { ConfiguredNotifier } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import type { AnswerOffer, ButtonPress, PressedAnswer, Receipt } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { AnswerChoice } from "../core/permission-reply.ts";
import type { ClockPort } from "../core/ports.ts";
import type { JournalLine } from "../journal/journal-line.ts";
import { reactTo } from "../pipeline/alerts.ts";
import type { RunContext } from "../pipeline/context.ts";
import { cleanLine } from "../text/clean.ts";
import { cut } from "../text/cut.ts";
import type { AnswerOutcome } from "./ask-files.ts";
import type { UserAnswer } from "./ask-folder.ts";
import { AnswerTokens, type EndedAsks, type HeldAsk, makeReference } from "./open-asks.ts";

/** Owner of the requests that buttons answer. */
export interface ButtonHost {
  readonly open: ReadonlyMap<string, HeldAsk>;
  readonly ended: EndedAsks;
  readonly clock: ClockPort;
  /** Returns the worker's current context. */
  context(): RunContext;
  answer(ask: HeldAsk, answer: UserAnswer, shownAtMs: number): AnswerOutcome;
  /** Journals a line about an event. */
  write(event: AgentEvent, line: Omit<JournalLine, "at" | "id">): void;
}

/** Entries of the configuration whose buttons are read together. */
export interface ReadEntries {
  readonly names: readonly string[];
  /** Names of those entries whose messages have a button that marks them as seen. */
  readonly seenNames: readonly string[];
}

/** Longest name of a person that is shown and journalled, in graphemes. */
const maxNameGraphemes = 40;

/** Makes the buttons that answer requests, and checks presses. */
export class AnswerButtons {
  readonly #tokens = new AnswerTokens();
  readonly #host: ButtonHost;
  readonly #onShown: (notifier: ConfiguredNotifier) => void;

  /** @param onShown called when a message that has a receipt became visible with its buttons */
  constructor(host: ButtonHost, onShown: (notifier: ConfiguredNotifier) => void) {
    this.#host = host;
    this.#onShown = onShown;
  }

  /** Returns the buttons that a notifier may show for a request. */
  offer(event: AgentEvent, notifier: string): AnswerOffer | undefined {
    const ask = this.#host.open.get(event.id);
    const { config } = this.#host.context();
    const configured = config.notifiers.get(notifier);
    const { choices = [], denyOnly } = ask ? limitChoices(ask, configured) : {};
    const may = listChoices(config.answers, notifier);
    const offered = choices.filter((choice) => may.includes(choice));
    if (!ask || offered.length === 0) return undefined;
    return {
      reference: makeReference(event.id),
      lines: ask.lines,
      recentCount: ask.recentCount,
      ...omitUndefined({ denyOnly: may.includes("allow") ? denyOnly : undefined }),
      choices: offered.map((choice) => ({ choice, token: this.#tokens.make(ask, choice, notifier) })),
      markShown: (receipt) => {
        ask.shownAtMs.set(notifier, this.#host.clock.uptimeMs());
        if (receipt) ask.receipts.set(notifier, [...(ask.receipts.get(notifier) ?? []), receipt]);
        if (configured && receipt && this.#host.open.has(event.id)) this.#onShown(configured);
      },
      press: (token) => void this.#press(ask, { token }, notifier),
    };
  }

  #press(
    ask: HeldAsk,
    { token, choice: named, by }: { readonly token: string; readonly choice?: AnswerChoice; readonly by?: string },
    notifier: string,
  ): AnswerOutcome {
    const { config } = this.#host.context();
    const choice = this.#tokens.findChoice(ask, token, notifier);
    const { choices } = limitChoices(ask, config.notifiers.get(notifier));
    const isAllowed = choice !== undefined && choices.includes(choice) && (named ?? choice) === choice;
    if (!isAllowed || !listChoices(config.answers, notifier).includes(choice)) {
      const reason = "the button is unknown or no longer valid";
      this.#host.write(ask.event, { status: "refused", via: notifier, reason, ...omitUndefined({ by }) });
      return { isDone: false, text: `Not answered: ${reason}.` };
    }
    const shownAtMs = ask.shownAtMs.get(notifier) ?? Number.POSITIVE_INFINITY;
    return this.#host.answer(ask, { choice, via: notifier, by }, shownAtMs);
  }

  /**
   * Judges a press that a receiver reported. A press answers a request only if a listed user pressed a valid button on
   * the very message that was sent.
   * @returns a text for the user; undefined if the user gets no reply
   */
  judge(press: ButtonPress, { names, seenNames }: ReadEntries): string | undefined {
    const context = this.#host.context();
    const { user, button, problem, receipt } = press;
    if (button === "seen" && problem === undefined) return markSeen(receipt, seenNames, context);
    const { answers } = context.config;
    const by = describePerson(press);
    const refuse = (reason: string, event?: AgentEvent): undefined => {
      const line = { status: "refused", via: names.join(", "), reason, ...omitUndefined({ by }) } as const;
      if (event) this.#host.write(event, line);
      else context.journal.write({ id: readerId(names), ...line });
    };
    const isListed = (name: string): boolean => user !== undefined && listUsers(answers, name)?.includes(user) === true;
    if (problem !== undefined) return refuse(problem);
    if (!names.some(isListed)) return refuse("this user is not in `users`");
    if (button === undefined || button === "seen") {
      refuse("the button is none of beckon's");
      return tooLate;
    }
    const ask = [...this.#host.open.values()].find(({ event }) => makeReference(event.id) === button.reference);
    if (!ask) return this.#judgeEnded(button, { by, via: names.join(", ") }, refuse);
    const notifier = names.find((name) => ask.receipts.get(name)?.some((sent) => isDeepStrictEqual(sent, receipt)));
    if (notifier === undefined) {
      refuse("its message is not the one that beckon sent, or has been changed", ask.event);
      return "Not answered: this message has been changed.";
    }
    if (!isListed(notifier)) return refuse("this user is not in `users`", ask.event);
    return this.#press(ask, { ...button, ...omitUndefined({ by }) }, notifier).text;
  }

  #judgeEnded(
    { reference, choice }: PressedAnswer,
    { by, via }: { readonly by: string | undefined; readonly via: string },
    refuse: (reason: string) => void,
  ): string {
    const event = this.#host.ended.findEvent(reference);
    if (event) this.#host.write(event, { status: "late", choice, via, ...omitUndefined({ by }) });
    else refuse("its request is unknown: the button is from an earlier worker");
    return tooLate;
  }
}

const tooLate = "Too late: this can no longer be answered here.";

/** Limits the choices to those for which a notifier shows enough of a request. */
function limitChoices(ask: HeldAsk, configured: ConfiguredNotifier | undefined) {
  const { maxChars = Number.POSITIVE_INFINITY } = configured?.notifier.lifecycle?.answers ?? {};
  const { choices, denyOnly, lines } = ask;
  if (lines.join("\n").length <= maxChars || denyOnly !== undefined) return { choices, denyOnly };
  return { choices: ["deny"] as const, denyOnly: "it is too long to be shown whole" };
}

/** Marks the message with this receipt as seen, if it is still visible. */
function markSeen(receipt: Receipt | undefined, names: readonly string[], context: RunContext): undefined {
  for (const { receipt: sent, ...message } of names.flatMap((name) => activeMessages(name, context.alerts))) {
    if (!isDeepStrictEqual({ ...sent }, { ...receipt })) continue;
    const events = findConcerns(message, context.alerts).map(({ event }) => event);
    reactTo("seen", { ...message, events }, context);
  }
}

/** Names a person by name and id: `Ann (4242)`. */
function describePerson({ user, userName = "" }: ButtonPress): string | undefined {
  if (user === undefined) return undefined;
  const name = cut(cleanLine(userName), maxNameGraphemes, "graphemes");
  return name === "" ? String(user) : `${name} (${user})`;
}
