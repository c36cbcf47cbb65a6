import { activeMessages } from "../attention/messages.ts";
import { readerId, unreadableReason } from "../config/answer-rights.ts";
import type { ConfiguredNotifier } from "../config/config.ts";
import type { PressReader } from "../core/notifier.ts";
import type { ButtonPress, CheckCall } from "../core/notifier-call.ts";
import type { ClockPort } from "../core/ports.ts";
import { readingLock } from "../files/lock.ts";
import { isAwake } from "../files/lock-line.ts";
import { markSeen } from "../pipeline/alerts.ts";
import { describeFailure, type Failure } from "../pipeline/attempt.ts";
import type { RunContext } from "../pipeline/context.ts";
import { resolveNotifierSettings, withinBudget } from "../pipeline/within-budget.ts";
import type { HeldAsks } from "./held-asks.ts";

type Settings = Awaited<ReturnType<typeof resolveNotifierSettings>>;

/** Judges a press at one of these notifiers. Returns a text for the user who pressed. */
type Judge = (press: ButtonPress, notifiers: readonly string[]) => string | undefined;

/** Time that a read may take beyond `readMs`, and that any other request may take: ten seconds. */
const graceMs = 10_000;
/** Shortest time of a read that finds nothing, for servers that do not wait: one second. */
const minReadMs = 1_000;
/** First and longest pause after a failed read. The pause doubles with each failure, unless the server names one. */
const pausesMs = { first: 5_000, longest: 60_000 } as const;
/** Interval for checking if another command still reads the account. */
const lockPollMs = 500;

/** Reads the pressed buttons of one account, for all entries that use the account. */
class AccountReader {
  readonly #reader: PressReader<Settings>;
  readonly #settings: Settings;
  readonly #asks: HeldAsks;
  readonly #judge: Judge;
  readonly #lock: string;
  /** Entries of the configuration, by name. */
  readonly #entries = new Map<string, ConfiguredNotifier["notifier"]>();
  /** Names of the entries whose messages have a button that marks them as seen. */
  readonly #seenNames = new Set<string>();
  #stop = new AbortController();
  #cursor: number | undefined;
  #failures = 0;
  #acknowledged: Promise<void> = Promise.resolve();

  constructor(reader: PressReader<Settings>, settings: Settings, asks: HeldAsks, judge: Judge) {
    this.#reader = reader;
    this.#settings = settings;
    this.#asks = asks;
    this.#judge = judge;
    this.#lock = readingLock(asks.paths, reader.account(settings));
  }

  /** Adds an entry of the configuration that uses this account. */
  add({ name, notifier }: ConfiguredNotifier, settings: Settings): void {
    const { reactions } = notifier.lifecycle ?? {};
    this.#entries.set(name, notifier);
    if (reactions && reactions.isOn?.(settings) !== false) this.#seenNames.add(name);
  }

  /** Ends the current read if it is no longer needed. */
  prune(): void {
    if (!this.#isNeeded) this.#stop.abort();
  }

  /** Reads until no open request is shown, then confirms what was read. Never rejects. */
  async run(): Promise<void> {
    do {
      this.#stop = new AbortController();
      while (this.#isNeeded) await this.#readOrWait();
      await this.#acknowledged;
      await this.#confirm();
    } while (this.#isNeeded);
  }

  get #names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  get #isNeeded(): boolean {
    return this.#asks.isShownBy(this.#names);
  }

  get #clock(): ClockPort {
    return this.#asks.context.ports.clock;
  }

  async #readOrWait(): Promise<void> {
    if (isAwake(this.#lock)) return this.#clock.wait(lockPollMs, this.#stop.signal);
    try {
      await this.#readOnce();
      this.#failures = 0;
    } catch (error) {
      if (this.#isNeeded && !isAwake(this.#lock)) await this.#pauseAfter(error);
    }
  }

  async #readOnce(): Promise<void> {
    const { readMs } = this.#reader;
    const stop = this.#stop.signal;
    const beganAtMs = this.#clock.uptimeMs();
    const { presses, cursor } = await this.#within(readMs + graceMs, (call) => {
      const signal = AbortSignal.any([call.signal, stop]);
      return this.#reader.read({ ...call, signal }, this.#cursor);
    });
    if (cursor === undefined && this.#clock.uptimeMs() - beganAtMs < minReadMs) await this.#clock.wait(minReadMs, stop);
    this.#cursor = cursor ?? this.#cursor;
    for (const press of presses) {
      const isSeen = press.button === "seen" && press.problem === undefined;
      if (isSeen) this.#markSeen(press);
      this.#acknowledge(press, isSeen ? undefined : this.#judge(press, this.#names));
    }
  }

  #markSeen({ receipt }: ButtonPress): void {
    const { context } = this.#asks;
    const active = [...this.#seenNames].flatMap((name) => activeMessages(name, context.alerts));
    if (receipt) markSeen(active, [receipt], context);
  }

  /** Acknowledges presses one after the other, while the next read goes on. */
  #acknowledge(press: ButtonPress, text: string | undefined): void {
    const send = () => this.#within(graceMs, (call) => this.#reader.acknowledge(call, press, text));
    this.#acknowledged = this.#acknowledged.then(send).catch(() => {}); // the waiting sign ends on its own
  }

  /** Confirms what was read, so that the next reader does not get it again. Ignores errors. */
  async #confirm(): Promise<void> {
    const cursor = this.#cursor;
    if (cursor === undefined || isAwake(this.#lock)) return;
    await this.#within(graceMs, (call) => this.#reader.confirm(call, cursor)).catch(() => {});
  }

  async #pauseAfter(error: unknown): Promise<void> {
    const [notifier] = this.#entries.values();
    if (!notifier) return;
    const failure = describeFailure(error, notifier);
    if (this.#failures === 0) journalFailure(failure, this.#names, this.#asks.context);
    const { retryAfterMs = Math.min(pausesMs.first * 2 ** this.#failures, pausesMs.longest) } = failure;
    this.#failures += 1;
    await this.#clock.wait(retryAfterMs, this.#stop.signal);
  }

  #within<T>(budgetMs: number, act: (call: CheckCall<Settings>) => Promise<T>): Promise<T> {
    const { ports } = this.#asks.context;
    return withinBudget(budgetMs, ports.clock, (signal) => act({ settings: this.#settings, ports, signal }));
  }
}

/** Journals that the pressed buttons of notifiers cannot be read. */
function journalFailure(failure: Failure, names: readonly string[], { journal }: Pick<RunContext, "journal">): void {
  const reason = `${unreadableReason} ${failure.reason}: ${failure.message}`;
  for (const name of names) journal.write({ id: readerId([name]), notifier: name, status: "skipped", reason });
}

/** Reads pressed buttons while messages with open requests are visible, one reader for each account. */
export class PressReaders {
  readonly #asks: HeldAsks;
  readonly #judge: Judge;
  readonly #accounts = new Map<string, { readonly reader: AccountReader; readonly ended: Promise<void> }>();
  readonly #names = new Set<string>();

  constructor(asks: HeldAsks, judge: Judge) {
    this.#asks = asks;
    this.#judge = judge;
  }

  /** True while an account is read, or the last read is being confirmed. */
  get busy(): boolean {
    return this.#names.size > 0;
  }

  /** True while the buttons of an entry's messages are read. */
  isReading(name: string): boolean {
    return this.#names.has(name);
  }

  /** Reads the buttons of an entry's messages until no open request is shown there. Never throws. */
  async follow(configured: ConfiguredNotifier): Promise<void> {
    const { name, notifier } = configured;
    if (!notifier.lifecycle?.answers?.reader || this.#names.has(name)) return;
    this.#names.add(name);
    try {
      do await this.#read(configured, this.#asks.context);
      while (this.#asks.isShownBy([name])); // a request may have been shown while the last read was being confirmed
    } catch (error) {
      journalFailure(describeFailure(error, notifier), [name], this.#asks.context);
    } finally {
      this.#names.delete(name);
    }
  }

  async #read(configured: ConfiguredNotifier, { ports, keepSecret }: RunContext): Promise<void> {
    const settings = await resolveNotifierSettings(configured, ports.exec, keepSecret);
    const reader = await configured.notifier.lifecycle?.answers?.reader?.();
    if (!reader) return;
    const account = reader.account(settings);
    const running = this.#accounts.get(account);
    const current = running?.reader ?? new AccountReader(reader, settings, this.#asks, this.#judge);
    current.add(configured, settings);
    const ended = running?.ended ?? current.run().finally(() => this.#accounts.delete(account));
    this.#accounts.set(account, { reader: current, ended });
    await ended;
  }

  /** Ends the reads that are no longer needed. */
  prune(): void {
    for (const { reader } of this.#accounts.values()) reader.prune();
  }
}
