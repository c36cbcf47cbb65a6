import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { isOpen, resolved } from "../attention/alert.ts";
import { threadKey } from "../attention/session-keys.ts";
import type { AgentEvent } from "../core/event.ts";
import { asText } from "../core/json-value.ts";
import type { Receipt } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { answersBy, buildDecision, type PermissionForm, togglePick } from "../core/permission-form.ts";
import { type Answer, buildReply, resemblesReply } from "../core/permission-reply.ts";
import { quietly } from "../core/quietly.ts";
import { promptEvent } from "../core/vocabulary.ts";
import type { Paths } from "../files/paths.ts";
import { identifyEvent, type JournalLine } from "../journal/journal-line.ts";
import { changeConcern, findConcern } from "../pipeline/alerts.ts";
import type { RunContext } from "../pipeline/context.ts";
import { reportForeignAnswer } from "../pipeline/notices.ts";
import type { AskOutcome } from "../pipeline/run-state.ts";
import { cleanLine } from "../text/clean.ts";
import { cut } from "../text/cut.ts";
import {
  type AnswerResult,
  type Ask,
  type AskFile,
  maxTypedChars,
  placeAnswer,
  readAskFile,
  readOffSwitch,
  removeAskFile,
  switchOff,
  writeOpenAsk,
} from "./ask-files.ts";
import { type AgentProcess, isRunning, type KeyWatch } from "./requester.ts";

/** Form that is asked about, and the hash of the payload that its hook has received. */
interface HeldForm extends PermissionForm {
  readonly payloadHash: string;
}

/**
 * Permission request that this worker holds: open, or answered until the hook has taken the answer. All times except
 * those of its file are process uptime in milliseconds.
 */
export interface HeldAsk extends Ask {
  readonly event: AgentEvent;
  /** Watch for the key press that ends the wait; absent if the agent's own dialog is open meanwhile. */
  readonly keys: KeyWatch | undefined;
  readonly openedAtMs: number;
  readonly endsAtMs: number;
  readonly hook: AgentProcess;
  readonly form?: HeldForm;
  /** Numbers of the options that have been chosen so far. */
  picked?: readonly number[];
  /** Number of the session's requests within two minutes, including this one. */
  readonly recentCount: number;
  /** Times when the request became visible, by notifier. */
  readonly shownAtMs: Map<string, number>;
  /** Receipts of the messages about the request, by notifier. */
  readonly receipts: Map<string, Receipt[]>;
  /** Reply that was written for the hook, and when. */
  given?: { readonly text: string; readonly atMs: number };
}

/** Request that has ended, or that was never held. */
interface EndedAsk {
  readonly event: AgentEvent;
  /** End that its messages show; absent if nobody was asked elsewhere. */
  readonly outcome: AskOutcome | undefined;
  /** Process uptime when it was left to the agent's own dialog. */
  leftAtMs?: number;
}

/** Longest answer to a form in the journal and in messages, in graphemes. */
const maxSaidGraphemes = 200;
/** Minimum time between showing a request and allowing it: one second. */
const minReadingMs = 1_000;
/** Maximum time until a hook must have taken its answer: ten seconds. */
const takeTimeoutMs = 10_000;

/**
 * Maximum time from a hook's end until the agent reports its own dialog: one minute. Claude Code 2.1.331 reports an
 * unanswered dialog after 6 to 12 seconds, or later if keys are pressed in it.
 */
const dialogDelayMs = 60_000;

/** Makes the short name of a request for buttons, from 66 bits of a hash. A receiver can hand the name back. */
export function makeReference(id: string): string {
  return createHash("sha256").update(id).digest("base64url").slice(0, 11);
}

/** Permission requests of this worker, from the time when they are held until their end, and how they ended. */
export class HeldAsks {
  readonly paths: Pick<Paths, "root" | "asks" | "state">;
  /** The worker's current context. */
  context!: RunContext;
  readonly #wake: () => void;
  readonly #onEnd: (ask: HeldAsk) => void;
  readonly #held = new Map<string, HeldAsk>();
  readonly #ended = new Map<string, EndedAsk>();

  /**
   * @param wake called when an answer waits for its hook
   * @param onEnd called when a request was answered or has ended without an answer
   */
  constructor(paths: Pick<Paths, "root" | "asks" | "state">, wake: () => void, onEnd: (ask: HeldAsk) => void) {
    this.paths = paths;
    this.#wake = wake;
    this.#onEnd = onEnd;
  }

  /** True while a request waits for its answer, or an answer for its hook. */
  get busy(): boolean {
    return this.#held.size > 0;
  }

  /** Requests that wait for an answer. */
  get open(): readonly HeldAsk[] {
    return [...this.#held.values()].filter(({ given }) => !given);
  }

  findOpen(id: string): HeldAsk | undefined {
    const ask = this.#held.get(id);
    return ask?.given ? undefined : ask;
  }

  /** Finds a request whose answer waits for its hook. */
  findAnswered(id: string): HeldAsk | undefined {
    const ask = this.#held.get(id);
    return ask?.given && ask;
  }

  /** True if this worker holds the request, or has ended it. */
  knows(id: string): boolean {
    return this.#held.has(id) || this.#ended.has(id);
  }

  findOutcome({ id }: Pick<AgentEvent, "id">): AskOutcome | undefined {
    return this.#ended.get(id)?.outcome;
  }

  /** Finds the event of a request that has ended by the reference in its buttons. */
  findEnded(reference: string): AgentEvent | undefined {
    return [...this.#ended.values()].find(({ event }) => makeReference(event.id) === reference)?.event;
  }

  /** True while a message of one of these notifiers shows an open request. */
  isShownBy(notifiers: readonly string[]): boolean {
    return this.open.some(({ receipts }) => notifiers.some((name) => receipts.has(name)));
  }

  /** True if an event belongs to an open request of its session, or to the dialog that now decides a request. */
  isAwaited(event: AgentEvent, context: Pick<RunContext, "alerts">): boolean {
    const isOfSession = (asked: AgentEvent) => threadKey(asked) === threadKey(event) && asked.atMs <= event.atMs;
    if (this.open.some((ask) => isOfSession(ask.event))) return true;
    return [...this.#ended.values()].some(({ event: asked, leftAtMs = Number.NEGATIVE_INFINITY }) => {
      if (this.#uptimeMs - leftAtMs >= dialogDelayMs || !isOfSession(asked)) return false;
      const concern = findConcern(asked, context);
      return concern !== undefined && isOpen(concern);
    });
  }

  /** Holds a request open, and describes it in its file. */
  hold(ask: HeldAsk): void {
    this.#held.set(ask.id, ask);
    writeOpenAsk(this.paths, ask);
    const reason = ask.denyOnly && `can only be refused elsewhere: ${ask.denyOnly}`;
    this.journal(ask.event, { status: "asked", hash: ask.hash, ...omitUndefined({ reason }) });
  }

  /**
   * Answers a request if it is still open and the answer is permitted.
   * @param shownAtMs process uptime when the user could first read the request
   */
  answer(ask: HeldAsk, answer: Answer, shownAtMs: number): AnswerResult {
    const { choice, via, by } = answer;
    const line = { choice, via, ...omitUndefined({ by }) };
    const refuse = (why: string) => this.refuse(identifyEvent(ask.event), line, why);
    const nowMs = this.#uptimeMs;
    if (!this.findOpen(ask.id) || nowMs >= ask.endsAtMs || !isRunning(ask.hook)) {
      this.journal(ask.event, { status: "late", ...line });
      return { isDone: false, text: this.#ended.has(ask.id) ? "Already answered." : "Too late." };
    }
    if (readOffSwitch(this.paths)) return refuse("answers are switched off");
    if (!ask.choices.includes(choice)) return refuse(`it can only be refused here: ${ask.denyOnly}`);
    if (choice === "allow" && nowMs - shownAtMs < minReadingMs)
      return refuse("allowed within a second after it was shown");
    const signed = { ...answer, by: by ?? quietly(() => userInfo().username) };
    if (choice === "deny" || !ask.form)
      return this.#give(ask, { ...signed, text: undefined }, buildReply(choice, answer.reason));
    const decided = decideForm(ask, ask.form, answer);
    if (!decided) return refuse("each question needs one of its own options; the numbers run through all questions");
    if ("decision" in decided) return this.#give(ask, { ...signed, text: decided.said }, decided.decision);
    ask.picked = decided.picks;
    writeOpenAsk(this.paths, ask);
    return { isDone: true, text: decided.note };
  }

  #give(ask: HeldAsk, { choice, via, by, text: said }: Answer, text: string): AnswerResult {
    const { id, event, hash } = ask;
    const nowMs = this.#uptimeMs;
    const answer = { choice, via, ...omitUndefined({ by }) };
    // The line comes first, so that the next worker knows the answer as beckon's own if this one is killed.
    const reason = said === undefined ? undefined : cut(cleanLine(said), maxSaidGraphemes, "graphemes");
    const waitedMs = Math.round(nowMs - ask.openedAtMs);
    this.journal(event, { status: "answered", ...answer, ...omitUndefined({ reason }), hash, waitedMs });
    const isPlaced = quietly(() => placeAnswer(this.paths, id, text));
    if (!isPlaced) return this.#failToPlace(ask, isPlaced === false);
    ask.given = { text, atMs: nowMs };
    this.#close(ask, { ...answer, text: reason });
    const outcome = choice === "allow" ? "allowed" : "denied";
    const atMs = this.context.ports.clock.now();
    changeConcern(event, (concern) => resolved(concern, outcome, atMs), this.context);
    this.#onEnd(ask);
    this.#wake();
    const done = reason === undefined ? "Allowed." : `Answered: ${reason}`;
    return { isDone: true, text: choice === "allow" ? done : "Denied." };
  }

  /** Journals that an answer could not be written for its hook, and leaves the request to the agent's own dialog. */
  #failToPlace(ask: HeldAsk, isTaken: boolean): AnswerResult {
    const why = isTaken ? "something else is in its place" : "it could not be written";
    const result = this.refuse(identifyEvent(ask.event), {}, why);
    const file = isTaken ? readAskFile(this.paths, ask.id) : undefined;
    if (file) this.checkAnswer(file);
    if (this.findOpen(ask.id)) this.end(ask, why);
    return result;
  }

  /** Journals an attempt that does not count, and returns its result. @param about id of the request, at least */
  refuse(about: Pick<JournalLine, "id">, line: Partial<JournalLine>, why: string): AnswerResult {
    this.#write({ ...about, status: "refused", ...line, reason: why });
    return { isDone: false, text: `Not answered: ${why}.` };
  }

  /** Checks a file in an answer's place. Returns false if its name belongs to no request that is held. */
  checkAnswer({ name: id, text }: AskFile): boolean {
    const ask = this.#held.get(id);
    if (ask && (!ask.given || ask.given.text !== text)) this.noteForeign(id, text);
    return ask !== undefined;
  }

  /** Ends a request in whose answer's place another program put a file. Reports a text that was meant as a reply. */
  noteForeign(id: string, text: string | undefined): void {
    const ask = this.findOpen(id);
    if (text !== undefined && resemblesReply(text)) this.reportForeign(id);
    else if (ask) this.end(ask, "another program ended it");
  }

  /** Reports an answer that beckon did not give, ends the request, and switches answers off. */
  reportForeign(id: string): void {
    const ask = this.#held.get(id);
    const reason = "another program put an answer in beckon's place";
    this.#write({ ...(ask ? identifyEvent(ask.event) : { id }), status: "foreign", reason });
    switchOff(this.paths, { reason, at: new Date(this.context.ports.clock.now()).toISOString() });
    removeAskFile(this.paths, id); // in time, if the hook has not taken it yet
    if (ask) this.end(ask, reason);
    void reportForeignAnswer(ask?.event ?? { id, project: "unknown" }, this.context).catch(() => {}); // it is journalled
  }

  /** Forgets an answer that its hook has taken. */
  noteTaken({ id }: HeldAsk): void {
    this.#held.delete(id);
  }

  /** Ends the requests whose session went on with an event. */
  endFollowed(event: AgentEvent): void {
    for (const ask of this.open) if (isFollowedBy(ask, event)) this.end(ask, "the session went on");
  }

  /** Ends the requests that can no longer be answered, and removes the answers that nobody takes any longer. */
  endStale(): void {
    const isOff = !this.context.config.answers || readOffSwitch(this.paths) !== undefined;
    for (const ask of this.open) {
      const reason = isOff ? "answers are switched off" : findEnd(ask, this.#uptimeMs, this.context);
      if (reason !== undefined) this.end(ask, reason);
    }
    for (const ask of this.#held.values()) if (ask.given) this.#expire(ask, ask.given.atMs);
  }

  /** Removes an answer that its hook did not take within ten seconds, or before the hook ended. */
  #expire({ id, event, hook }: HeldAsk, givenAtMs: number): void {
    const isWaiting = isRunning(hook) && this.#uptimeMs - givenAtMs < takeTimeoutMs;
    if (isWaiting || readAskFile(this.paths, `${id}.taken`)) return;
    removeAskFile(this.paths, id);
    this.#held.delete(id);
    this.journal(event, { status: "late", reason: "the hook ended before it took the answer" });
  }

  /** Ends a request without an answer, so that the agent's own dialog decides. */
  end(ask: HeldAsk, reason: string): void {
    this.#held.delete(ask.id);
    this.#close(ask, {});
    this.leave(ask, reason);
    this.#onEnd(ask);
  }

  /** Ends all requests without an answer. */
  endAll(reason: string): void {
    for (const ask of this.open) this.end(ask, reason);
  }

  #close({ id, event, receipts }: HeldAsk, answer: Partial<Answer>): void {
    const outcome = receipts.size === 0 ? undefined : { ...answer, atMs: this.context.ports.clock.now() };
    if (!this.#ended.has(id)) this.#ended.set(id, { event, outcome });
    removeAskFile(this.paths, `${id}.json`);
  }

  /** Leaves a request to the agent's own dialog. */
  leave({ event, hook }: Pick<HeldAsk, "event" | "hook">, reason: string): void {
    const ended = this.#ended.get(event.id) ?? { event, outcome: undefined };
    this.#ended.set(event.id, { ...ended, leftAtMs: this.#uptimeMs });
    this.journal(event, { status: "given-up", reason });
    // On a full disk, the hook ends when its time is up.
    if (isRunning(hook)) quietly(() => placeAnswer(this.paths, event.id, ""));
  }

  get #uptimeMs(): number {
    return this.context.ports.clock.uptimeMs();
  }

  /** Journals what happened to the request of an event. */
  journal(event: AgentEvent, line: Omit<JournalLine, "at" | "id">): void {
    this.#write({ ...identifyEvent(event), ...line });
  }

  #write(line: Omit<JournalLine, "at">): void {
    if (!existsSync(this.paths.root)) return; // the journal would create the folder that the user has deleted
    this.context.journal.write(line);
  }
}

/**
 * Decides a form: by the whole answer, or only by an option that others must follow. Undefined for an answer that leaves a
 * question open.
 */
function decideForm({ picked = [], options = [], isMultiple }: HeldAsk, form: HeldForm, answer: Answer) {
  const { pick, text, picks = pick === undefined ? picked : togglePick(form, picked, pick) } = answer;
  const made = text === undefined ? { picks } : { text: cleanLine(text.slice(0, maxTypedChars)) };
  const answers = answersBy(form, made);
  // Only the user knows which of several answers to a question is the last.
  const isLast = pick === undefined || !isMultiple;
  if (answers && isLast) {
    const said = answers.map(([, value]) => value).join(" · ") || undefined;
    return { said, decision: buildDecision(form.payloadHash, made) };
  }
  if (pick === undefined) return undefined;
  const chosen = picks.map((number) => options[number - 1]).join(", ") || "nothing";
  const rest = answers ? "Not sent yet." : "Not all questions are answered yet.";
  return { picks, note: `Chosen: ${chosen}. ${rest}` };
}

/** Finds the reason why a request can no longer be answered; undefined while it can. */
function findEnd(ask: HeldAsk, uptimeMs: number, context: RunContext): string | undefined {
  const concern = findConcern(ask.event, context);
  if (concern && !isOpen(concern)) return `no longer open: ${concern.resolvedBy ?? "resolved"}`;
  if (!isRunning(ask.hook)) return "its hook has ended";
  if (uptimeMs >= ask.endsAtMs) return "nobody answered in time";
  return ask.keys?.isPressed() ? "you are at the agent's terminal" : undefined;
}

/**
 * True if a later event shows that a request has been answered: a prompt, or the end of its turn or session. The next
 * request shows it too, unless the agent waits for the hook.
 */
function isFollowedBy({ event: asked, keys }: HeldAsk, event: AgentEvent): boolean {
  if (threadKey(asked) !== threadKey(event) || asked.id === event.id || event.atMs < asked.atMs) return false;
  if (event.event === "SessionEnd") return true;
  const isNext = !keys && event.nativeEvent === asked.nativeEvent;
  const subAgent = ({ extra }: AgentEvent) => asText(extra.agent_id) ?? "";
  return ([promptEvent, "Stop"].includes(event.event) || isNext) && subAgent(asked) === subAgent(event);
}
