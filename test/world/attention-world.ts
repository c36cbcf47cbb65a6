import { utimesSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as othersRun } from "node:timers/promises";
import { Groups } from "../../src/attention/groups.ts";
import type { Config, ConfiguredNotifier } from "../../src/config/config.ts";
import { DeliveryError, type FailureReason } from "../../src/core/errors.ts";
import type { Message } from "../../src/core/message.ts";
import type { Notifier } from "../../src/core/notifier.ts";
import type { Reaction, Receipt } from "../../src/core/notifier-call.ts";
import type { FilesPort, Presence } from "../../src/core/ports.ts";
import { AlertKeeper } from "../../src/follow-up/keep-alerts.ts";
import type { RunContext } from "../../src/pipeline/context.ts";
import { run } from "../../src/pipeline/run.ts";
import { claim, freshEntries, recover, waitingEntries } from "../../src/spool/claim.ts";
import { isDue } from "../../src/spool/entry.ts";
import { makeSpool, put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { settle } from "../../src/spool/settle.ts";
import { DeliveryWorld, makeConfig } from "./delivery-world.ts";
import { probeNotifier } from "./probe-notifier.ts";

/** A call of a notifier, with its time. */
export interface Call {
  readonly atMs: number;
  readonly notifier: string;
  readonly verb: "ring" | "update" | "withdraw";
  /** Id of the message at the receiver. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
  /** Number of the message, by notifier. */
  readonly message: number;
}

/** A session as a test names it; its process numbers belong to no process. */
export interface Session {
  readonly agent: string;
  readonly id: string;
  readonly pid: number;
  /** Processes from the hook up to the agent, if they are real ones. */
  readonly processes?: readonly number[];
  /** Processes from the hook up to the agent, with their names. */
  readonly callers?: readonly (readonly [pid: number, name: string])[];
}

/** A worker's pipeline on a separate spool, with a clock and a user's presence set by the test. */
export class AttentionWorld extends DeliveryWorld {
  readonly calls: Call[] = [];
  /** The session whose terminal is in front. */
  focused: Session | undefined;
  /** Last time of typing at a session's terminal. */
  readonly typed = new Map<number, number>();
  /** Questions to the presence port, in order. */
  readonly asks: ("prepare" | "ask")[] = [];
  /** Messages on the phone whose button was pressed, by number. */
  readonly pressed = new Set<number>();
  /** Click reports for the desk's messages, by number. */
  readonly clicks = new Map<number, (reaction: Reaction) => void>();
  /** Number of button polls so far at the phone's service. They fail while `isServiceDown` is set. */
  asked = 0;
  isServiceDown = false;
  /** Notifiers whose attempts fail, with the reason. */
  readonly failing = new Map<string, FailureReason>();
  #config: Config | undefined;
  #context: RunContext | undefined;
  #keeper = new AlertKeeper();
  #events = 0;
  #onDisk = 0;

  /** Starts with a configuration whose notifiers `desk`, `phone`, `chime`, `team` only record their calls. */
  async start(settings: {
    readonly routes: object[];
    readonly attention?: object;
    readonly lookups?: readonly string[];
    readonly limits?: readonly number[];
    readonly language?: string;
  }): Promise<void> {
    const names = ["desk", "phone", "chime", "team"];
    const entry = { type: "webhook", url: "https://example.org" };
    const config = await makeConfig({ ...settings, notifiers: Object.fromEntries(names.map((name) => [name, entry])) });
    const notifiers = [...config.notifiers].map(([name, configured]): [string, ConfiguredNotifier] => [
      name,
      { ...configured, notifier: this.#notifier(name), settings: {} },
    ]);
    this.#config = { ...config, notifiers: new Map(notifiers) };
    this.reboot();
  }

  /** Replaces the worker by a new one, which knows only what is on disk. */
  reboot(): void {
    if (!this.#config) throw new Error("not started");
    makeSpool(this.spool);
    recover(this.spool);
    const { ports, ...others } = this.worker(this.#config);
    const presence = {
      ask: async ([pid]: readonly number[]): Promise<Presence> => {
        this.asks.push("ask");
        return { ...this.presence, isFocused: pid === this.focused?.pid, ...this.#typedAt(pid) };
      },
      prepare: () => void this.asks.push("prepare"),
      typedAtMs: ([pid]: readonly number[]) => this.#typedAt(pid).typedAtMs,
      noticesKeys: () => true,
      findInTerminals: () => [],
    };
    const own = { presence, files: this.#counted(ports.files), host: { elsewhere: () => undefined } };
    this.#context = { ...others, groups: new Groups(this.clock, 0), ports: { ...ports, ...own } };
    this.#keeper = new AlertKeeper();
  }

  get context(): RunContext {
    if (!this.#context) throw new Error("not started");
    return this.#context;
  }

  /** Stores an event of a session that arrives now. */
  fire(session: Session, event: string, payload: object = {}): void {
    this.#events += 1;
    const id = `e${String(this.#events).padStart(3, "0")}`;
    const { agent, pid, processes = [pid, pid + 1], callers } = session;
    const header = { v: 1, event, agent, ...(callers ? { callers } : { processes }) } as const;
    const body = { hook_event_name: event, session_id: session.id, cwd: `/home/me/${session.id}`, ...payload };
    put(this.spool, id, encodeRecord(header, Buffer.from(JSON.stringify(body))));
    utimesSync(join(this.spool, "new", `${id}.json`), this.nowMs / 1000, this.nowMs / 1000);
  }

  /** Works until nothing is due before an instant, polling for signs every half minute while an alert is open. */
  async workUntil(ms: number): Promise<void> {
    for (;;) {
      await this.work();
      const dueMs = waitingEntries(this.spool)[0]?.dueAtMs ?? Number.POSITIVE_INFINITY;
      const lookMs = this.#keeper.isNeeded(this.context) ? this.nowMs + 30_000 : Number.POSITIVE_INFINITY;
      const nextMs = Math.max(this.nowMs + 1, Math.min(dueMs, lookMs));
      if (nextMs >= ms) break;
      this.nowMs = nextMs;
    }
    this.nowMs = ms;
  }

  /** Does everything due now. */
  async work(): Promise<void> {
    const due = waitingEntries(this.spool).filter(({ dueAtMs }) => isDue(dueAtMs, this.nowMs));
    const entries = [...freshEntries(this.spool), ...due];
    await Promise.all(
      entries.map(async (entry) => {
        const held = claim(this.spool, entry);
        if (held) settle(this.spool, held, await run(held, this.context));
      }),
    );
    this.#keeper.observe(this.context, () => {});
    this.#keeper.askForReactions(this.context, () => {});
    do await othersRun();
    while (this.#onDisk > 0);
    this.#keeper.withdrawStale(this.context, () => {});
    do await othersRun();
    while (this.#keeper.busy);
  }

  /** Counts the transcript reads in progress. */
  #counted(files: FilesPort): FilesPort {
    const counted = async <Result>(look: Promise<Result>): Promise<Result> => {
      this.#onDisk += 1;
      return look.finally(() => {
        this.#onDisk -= 1;
      });
    };
    return {
      ...files,
      sizeBytes: (path) => counted(files.sizeBytes(path)),
      readTail: (path, maxBytes) => counted(files.readTail(path, maxBytes)),
      readHead: (path, maxBytes) => counted(files.readHead(path, maxBytes)),
      readFrom: (path, offset, maxBytes) => counted(files.readFrom(path, offset, maxBytes)),
      listFiles: (folder) => counted(files.listFiles(folder)),
      isFolder: (path) => counted(files.isFolder(path)),
    };
  }

  #typedAt(pid = 0): Presence {
    const typedAtMs = this.typed.get(pid);
    return typedAtMs === undefined ? {} : { typedAtMs };
  }

  #find(active: readonly Receipt[]): readonly Receipt[] {
    this.asked += 1;
    if (this.isServiceDown) throw new DeliveryError("auth", "another program reads them");
    return active.filter(({ message }) => this.pressed.has(Number(message)));
  }

  #notifier(name: string): Notifier {
    let messages = 0;
    const note = (verb: Call["verb"], message: number, { id, title, body }: Message): void => {
      this.calls.push({ atMs: this.nowMs, notifier: name, verb, id, title, body, message });
    };
    const isBubble = name === "desk";
    const canChange = isBubble || name === "phone";
    return probeNotifier({
      name,
      audience: name === "team" ? "team" : "person",
      ...(name === "chime" && { isAudible: true as const }),
      ...(isBubble && { lifecycle: { replaces: true as const } }),
      limits: { unit: "utf16", title: 200, body: 2_000 },
      send: async ({ message, thread, onReaction }) => {
        const failure = this.failing.get(name);
        if (failure) throw new DeliveryError(failure, "refused");
        const previous = isBubble ? thread?.previous?.["message"] : undefined;
        if (previous === undefined) messages += 1;
        const number = Number(previous ?? messages);
        note("ring", number, message);
        if (isBubble && onReaction) this.clicks.set(number, onReaction);
        return canChange ? { message: number } : undefined;
      },
      ...(name === "phone" && {
        lifecycle: { reactions: { everyMs: 10_000, find: async (call) => this.#find(call.active) } },
      }),
      ...(canChange && {
        update: async ({ receipt, message }) => void note("update", Number(receipt["message"]), message),
        withdraw: async ({ receipt, message }) => note("withdraw", Number(receipt["message"]), message),
      }),
    });
  }
}
