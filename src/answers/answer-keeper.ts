import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { agentNamed } from "../agents/registry.ts";
import { isOpen } from "../attention/alert.ts";
import { threadKey } from "../attention/session-keys.ts";
import type { AgentEvent } from "../core/event.ts";
import { asText } from "../core/json-value.ts";
import type { AnswerOffer } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { buildReply } from "../core/permission-reply.ts";
import type { ClockPort } from "../core/ports.ts";
import { quietly } from "../core/quietly.ts";
import { promptEvent } from "../core/vocabulary.ts";
import { makePrivateFolder } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";
import { findProcess } from "../files/process-table.ts";
import { explainExposure } from "../files/root-access.ts";
import { identifyEvent, type JournalLine } from "../journal/journal-line.ts";
import { findConcern, resolveConcern } from "../pipeline/alerts.ts";
import type { AskedEvent, RunContext } from "../pipeline/context.ts";
import { reportForeignAnswer } from "../pipeline/notices.ts";
import type { AskOutcome } from "../pipeline/run-state.ts";
import type { SpoolRecord } from "../spool/record.ts";
import { AnswerMessages, type MessageHost } from "./answer-messages.ts";
import {
  type AnswerOutcome,
  placeAnswer,
  readAskFile,
  readOffSwitch,
  removeAskFile,
  removeOpenAsk,
  switchOff,
  writeOpenAsk,
} from "./ask-files.ts";
import {
  type AskFolderHost,
  AskFolderWatch,
  findRemoved,
  type GivenAnswer,
  scanAskFiles,
  type UserAnswer,
} from "./ask-folder.ts";
import { countRecent, countRequest, explainPresent, judgeRequest } from "./judge-request.ts";
import {
  describeOpen,
  EndedAsks,
  type HeldAsk,
  type HoldableRequest,
  isHookWaiting,
  makeAsk,
  maxOpen,
} from "./open-asks.ts";
import { KeyWatch } from "./requester.ts";

/** Minimum time between showing a request and allowing it: one second. */
const minReadingMs = 1_000;

/** Maximum time until a hook must have taken its answer: ten seconds. */
const takeTimeoutMs = 10_000;

/** Keeps agents' permission requests open until the user answers, the agent goes on, or time runs out. */
export class AnswerKeeper implements AskFolderHost, MessageHost {
  readonly paths: Pick<Paths, "root" | "asks" | "state">;
  readonly open = new Map<string, HeldAsk>();
  readonly given = new Map<string, GivenAnswer>();
  readonly seen = new Set<string>();
  readonly clock: ClockPort;
  readonly ended = new EndedAsks();
  readonly #messages: AnswerMessages;
  readonly #dialogs = new OwnDialogs();
  readonly #wake: () => void;
  readonly #folder: AskFolderWatch;
  #context: RunContext | undefined;

  /** @param wake called when a file in the `asks` folder has changed */
  constructor(paths: Pick<Paths, "root" | "asks" | "state">, clock: ClockPort, wake: () => void) {
    this.paths = paths;
    this.clock = clock;
    this.#wake = wake;
    this.#messages = new AnswerMessages(this);
    makePrivateFolder(paths.asks);
    this.#folder = new AskFolderWatch(paths, wake);
    this.#folder.follow();
  }

  /** True while a waiting hook keeps the user from answering in the agent, so that a key press must end the wait soon. */
  get isSerial(): boolean {
    return [...this.open.values()].some((ask) => ask.isSerial);
  }

  /** True while a request waits for its answer, an answer waits for its hook, or the messages need more work. */
  get busy(): boolean {
    return this.open.size > 0 || this.given.size > 0 || this.#messages.busy;
  }

  /**
   * Opens a request if the event's hook waits and the request may be answered outside the agent. Ends the session's
   * earlier requests if the agent went on.
   */
  async note({ record, event, isNew }: AskedEvent, context: RunContext): Promise<void> {
    this.#context = context;
    for (const ask of [...this.open.values()]) if (isFollowedBy(ask, event)) this.end(ask, "the session went on");
    const { ask: waitSeconds, hook } = record.header;
    if (waitSeconds === undefined || this.open.has(event.id) || this.ended.has(event.id)) return;
    const held = isNew ? await decideHold(record, event, this, context) : "an earlier worker had it";
    const waiting = { pid: hook ?? 0, startTicks: findProcess(hook ?? 0)?.startTicks };
    if (typeof held === "string") return this.#giveBack({ event, hook: waiting }, held);
    const endsInMs = Math.min(waitSeconds * 1000, context.config.answers?.wait ?? 0);
    const ageMs = Math.max(0, context.ports.clock.now() - event.atMs);
    const openedAtMs = this.clock.uptimeMs();
    const endsAtMs = openedAtMs + endsInMs - ageMs;
    const recentCount = countRecent(this.paths, threadKey(event), this.clock.now());
    const ask = makeAsk(event, held, { openedAtMs, endsAtMs, hook: waiting, recentCount });
    this.open.set(event.id, ask);
    writeOpenAsk(this.paths, describeOpen(ask));
    const reason = ask.denyOnly && `can only be refused elsewhere: ${ask.denyOnly}`;
    this.write(event, { status: "asked", hash: ask.hash, ...omitUndefined({ reason }) });
  }

  knows(id: string): boolean {
    return this.open.has(id) || this.ended.has(id);
  }

  /** True if an event belongs to an open request of its session, or to the dialog that now decides a request. */
  isAwaited(event: AgentEvent, context: Pick<RunContext, "alerts">): boolean {
    return this.#dialogs.isAwaited(event, this.open, this.clock.uptimeMs(), context);
  }

  /** Returns the buttons that a notifier may show for a request; undefined if it may show none. */
  offer(event: AgentEvent, notifier: string): AnswerOffer | undefined {
    return this.#messages.offer(event, notifier);
  }

  isReading(notifier: string): boolean {
    return this.#messages.isReading(notifier);
  }

  /**
   * Answers a request if it is still open and the answer is permitted.
   * @param shownAtMs process uptime when the user could first read the request
   */
  answer(ask: HeldAsk, answer: UserAnswer, shownAtMs: number): AnswerOutcome {
    const { choice, via, by } = answer;
    const nowMs = this.clock.uptimeMs();
    const line = { choice, via, ...omitUndefined({ by }) };
    const refuse = (why: string): AnswerOutcome => {
      this.write(ask.event, { status: "refused", ...line, reason: why });
      return { isDone: false, text: `Not answered: ${why}.` };
    };
    if (!this.open.has(ask.event.id) || nowMs >= ask.endsAtMs || !isHookWaiting(ask)) {
      this.write(ask.event, { status: "late", ...line });
      return {
        isDone: false,
        text: this.given.has(ask.event.id) || this.ended.has(ask.event.id) ? "Already answered." : "Too late.",
      };
    }
    if (readOffSwitch(this.paths)) return refuse("answers are switched off");
    if (!ask.choices.includes(choice)) return refuse(`it can only be refused here: ${ask.denyOnly}`);
    if (choice === "allow" && nowMs - shownAtMs < minReadingMs)
      return refuse("allowed within a second after it was shown");
    return this.#give(ask, { ...answer, by: by ?? quietly(() => userInfo().username) }, nowMs);
  }

  #give(ask: HeldAsk, { choice, via, reason, by }: UserAnswer, nowMs: number): AnswerOutcome {
    const { event, hash } = ask;
    const text = buildReply(choice, reason);
    // The line comes first, so that the next worker knows the answer as beckon's own if this one is killed.
    const waitedMs = Math.round(nowMs - ask.openedAtMs);
    this.write(event, { status: "answered", choice, via, hash, waitedMs, ...omitUndefined({ by }) });
    const isPlaced = quietly(() => placeAnswer(this.paths, event.id, text));
    if (!isPlaced) return this.#failToPlace(ask, isPlaced === false);
    this.#forget(ask, { choice, via, ...omitUndefined({ by }) });
    this.given.set(event.id, { ask, text, givenAtMs: nowMs });
    if (this.#context) resolveConcern(event, choice === "allow" ? "allowed" : "denied", this.#context);
    this.#messages.showEnd(ask);
    this.#wake();
    return { isDone: true, text: choice === "allow" ? "Allowed." : "Denied." };
  }

  /** Journals that an answer could not be written for its hook, and leaves the request to the agent's own dialog. */
  #failToPlace(ask: HeldAsk, isTaken: boolean): AnswerOutcome {
    const why = isTaken ? "something else is in its place" : "it could not be written";
    this.write(ask.event, { status: "refused", reason: why });
    if (this.#context && isTaken) scanAskFiles(this, this.#context);
    if (this.open.has(ask.event.id)) this.end(ask, why);
    return { isDone: false, text: `Not answered: ${why}.` };
  }

  /** Ends the requests that can no longer be answered, and reads the `asks` folder. */
  poll(context: RunContext): void {
    this.#context = context;
    this.#folder.follow();
    const { answers } = context.config;
    const isOff = !answers || readOffSwitch(this.paths) !== undefined;
    scanAskFiles(this, context);
    for (const id of findRemoved(this.#folder.takeNames(), this)) this.reportForeign(id, context);
    for (const ask of [...this.open.values()]) {
      const reason = isOff ? "answers are switched off" : findEnd(ask, this.clock.uptimeMs(), context);
      if (reason !== undefined) this.end(ask, reason);
    }
    for (const [id, answer] of this.given) this.#expire(id, answer);
  }

  /** Removes an answer that its hook did not take within ten seconds, or before the hook ended. */
  #expire(id: string, { ask, givenAtMs }: GivenAnswer): void {
    const isWaiting = isHookWaiting(ask) && this.clock.uptimeMs() - givenAtMs < takeTimeoutMs;
    if (isWaiting || readAskFile(this.paths, `${id}.taken`)) return;
    removeAskFile(this.paths, id);
    this.given.delete(id);
    this.write(ask.event, { status: "late", reason: "the hook ended before it took the answer" });
  }

  /** Ends a request without an answer, so that the agent's own dialog decides. */
  end(ask: HeldAsk, reason: string): void {
    this.#forget(ask, {});
    this.#giveBack(ask, reason);
    this.#messages.showEnd(ask);
  }

  /** Ends all requests without an answer. */
  endAll(reason: string): void {
    for (const ask of [...this.open.values()]) this.end(ask, reason);
  }

  /** Stops watching the `asks` folder. */
  close(): void {
    this.#folder.close();
  }

  /** Reports an answer that beckon did not give, ends the request, and switches answers off. */
  reportForeign(id: string, context: RunContext): void {
    const ask = this.open.get(id) ?? this.given.get(id)?.ask;
    const [reason, event] = ["another program put an answer in beckon's place", ask?.event] as const;
    if (event) this.write(event, { status: "foreign", reason });
    else context.journal.write({ id, status: "foreign", reason });
    switchOff(this.paths, { reason, at: new Date(context.ports.clock.now()).toISOString() });
    this.given.delete(id);
    removeAskFile(this.paths, id); // in time, if the hook has not taken it yet
    if (ask) this.end(ask, reason);
    void reportForeignAnswer({ id, project: event?.project ?? "unknown" }, context).catch(() => {}); // it is journalled
  }

  #forget({ event, receipts }: HeldAsk, answer: Omit<AskOutcome, "atMs">): void {
    this.open.delete(event.id);
    const outcome = receipts.size === 0 ? undefined : { ...answer, atMs: this.context().ports.clock.now() };
    this.ended.add(event, outcome);
    removeOpenAsk(this.paths, event.id);
  }

  #giveBack({ event, hook }: Pick<HeldAsk, "event" | "hook">, reason: string): void {
    this.ended.add(event);
    this.#dialogs.noteLeft(event, this.clock.uptimeMs());
    this.write(event, { status: "given-up", reason });
    // On a full disk, the hook ends when its time is up.
    if (isHookWaiting({ hook })) quietly(() => placeAnswer(this.paths, event.id, ""));
  }

  context(): RunContext {
    if (!this.#context) throw new TypeError("no event has been noted");
    return this.#context;
  }

  write(event: AgentEvent, line: Omit<JournalLine, "at" | "id">): void {
    if (!existsSync(this.paths.root)) return; // the journal would create the folder that the user has deleted
    this.#context?.journal.write({ ...identifyEvent(event), ...line });
  }
}

interface Holder {
  readonly paths: Pick<Paths, "root" | "asks" | "state">;
  readonly open: ReadonlyMap<string, HeldAsk>;
  readonly clock: ClockPort;
}

/**
 * Decides if a permission request may be answered outside the agent. Returns the request, or the reason why only the
 * agent's own dialog can answer it.
 */
async function decideHold(
  record: SpoolRecord,
  event: AgentEvent,
  { paths, open, clock }: Holder,
  context: RunContext,
): Promise<HoldableRequest | string> {
  if (readOffSwitch(paths)) return "answers are switched off";
  const judged = judgeRequest(record, event, context.config.answers, await readTranscriptTail(event, context));
  if ("reason" in judged) return judged.reason;
  if (!isHookWaiting({ hook: { pid: record.header.hook ?? 0 } })) return "its hook has ended";
  const exposure = explainExposure(
    paths,
    [event.cwd, event.projectDir].filter((folder) => folder !== undefined),
  );
  if (exposure !== undefined) return exposure;
  const keys = judged.isSerial ? new KeyWatch(event, context.ports) : undefined;
  const presence = await explainPresent(event, keys, context);
  if (presence !== undefined) return presence;
  const thread = threadKey(event);
  if (!countRequest(paths, thread, clock.now())) return "the session asked too often within ten minutes";
  const openNow = [...open.values()].filter((ask) => ask.thread === thread).length;
  return openNow >= maxOpen ? `the session already has ${maxOpen} open requests` : { ...judged, keys };
}

/** Part of the transcript that is searched for the call, in bytes. */
const tailBytes = 512 * 1024;

/** Reads the end of the transcript if the agent's payloads are incomplete. */
async function readTranscriptTail({ agent, transcriptPath }: AgentEvent, { config, ports }: RunContext) {
  const hook = agentNamed(agent)?.permissionHook;
  const isRead = config.answers?.agents.includes(agent) && typeof hook === "object" && hook.findOmitted !== undefined;
  return isRead && transcriptPath !== undefined ? ports.files.readTail(transcriptPath, tailBytes) : undefined;
}

/**
 * Maximum time from a hook's end until the agent reports its own dialog: one minute. Claude Code 2.1.331 reports an
 * unanswered dialog after 6 to 12 seconds, or later if keys are pressed in it.
 */
const dialogDelayMs = 60_000;

/** Agents' own dialogs, which decide the requests that nobody answered elsewhere. */
class OwnDialogs {
  readonly #left = new Map<string, { readonly event: AgentEvent; readonly atMs: number }>();

  /** Notes that a request is left to the agent's own dialog. @param nowMs process uptime */
  noteLeft(event: AgentEvent, nowMs: number): void {
    for (const [id, { atMs }] of this.#left) if (nowMs - atMs >= dialogDelayMs) this.#left.delete(id);
    this.#left.set(event.id, { event, atMs: nowMs });
  }

  /**
   * True if an event belongs to an open request of its session, or to the dialog that now decides a request.
   * @param nowMs process uptime
   */
  isAwaited(
    event: AgentEvent,
    open: ReadonlyMap<string, HeldAsk>,
    nowMs: number,
    context: Pick<RunContext, "alerts">,
  ): boolean {
    const isOfSession = (request: AgentEvent) => threadKey(request) === threadKey(event) && request.atMs <= event.atMs;
    if ([...open.values()].some((ask) => isOfSession(ask.event))) return true;
    return [...this.#left.values()].some(({ event: request, atMs }) => {
      if (!isOfSession(request) || nowMs - atMs >= dialogDelayMs) return false;
      const concern = findConcern(request, context);
      return concern !== undefined && isOpen(concern);
    });
  }
}

/** Finds the reason why a request can no longer be answered; undefined while it can. */
function findEnd(ask: HeldAsk, uptimeMs: number, context: RunContext): string | undefined {
  const concern = findConcern(ask.event, context);
  if (concern && !isOpen(concern)) return `no longer open: ${concern.resolvedBy ?? "resolved"}`;
  if (!isHookWaiting(ask)) return "its hook has ended";
  if (uptimeMs >= ask.endsAtMs) return "nobody answered in time";
  return ask.keys?.isPressed ? "you are at the agent's terminal" : undefined;
}

/**
 * True if a later event shows that a request has been answered: a prompt, or the end of its turn or session. The next
 * request shows it too, unless the agent waits for the hook.
 */
function isFollowedBy(ask: HeldAsk, event: AgentEvent): boolean {
  if (ask.thread !== threadKey(event) || ask.event.id === event.id || event.atMs < ask.event.atMs) return false;
  if (event.event === "SessionEnd") return true;
  const isNext = !ask.isSerial && event.nativeEvent === ask.event.nativeEvent;
  return (
    ([promptEvent, "Stop"].includes(event.event) || isNext) && ask.subAgent === (asText(event.extra.agent_id) ?? "")
  );
}
