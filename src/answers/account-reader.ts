import { readerId, unreadableReason } from "../config/answer-rights.ts";
import type { ConfiguredNotifier } from "../config/config.ts";
import type { PressReader } from "../core/notifier.ts";
import type { ButtonPress, CheckCall } from "../core/notifier-call.ts";
import type { ClockPort, Ports } from "../core/ports.ts";
import { readingLock } from "../files/lock.ts";
import { isAwake } from "../files/lock-line.ts";
import type { Paths } from "../files/paths.ts";
import { describeFailure, type Failure } from "../pipeline/attempt.ts";
import type { RunContext } from "../pipeline/context.ts";
import { resolveNotifierSettings, withinBudget } from "../pipeline/within-budget.ts";
import type { ReadEntries } from "./answer-buttons.ts";

type Settings = Awaited<ReturnType<typeof resolveNotifierSettings>>;

/** Owner of the requests whose buttons are read. */
export interface ReaderHost {
  readonly paths: Pick<Paths, "asks">;
  readonly clock: ClockPort;
  /** Returns the worker's current context. */
  context(): RunContext;
  /** True while a message of one of these entries shows an open request. */
  isAskedAt(names: readonly string[]): boolean;
  /** Judges a press. Returns a text for the user who pressed. */
  judge(press: ButtonPress, entries: ReadEntries): string | undefined;
}

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
  readonly #host: ReaderHost;
  readonly #lock: string;
  readonly #entries = new Map<
    string,
    { readonly notifier: ConfiguredNotifier["notifier"]; readonly isSeen: boolean }
  >();
  #stop = new AbortController();
  #cursor: number | undefined;
  #failures = 0;
  #acknowledged: Promise<void> = Promise.resolve();

  constructor(reader: PressReader<Settings>, settings: Settings, host: ReaderHost) {
    this.#reader = reader;
    this.#settings = settings;
    this.#host = host;
    this.#lock = readingLock(host.paths, reader.account(settings));
  }

  /** Adds an entry of the configuration that uses this account. */
  add({ name, notifier }: ConfiguredNotifier, settings: Settings): void {
    const { reactions } = notifier.lifecycle ?? {};
    this.#entries.set(name, { notifier, isSeen: reactions !== undefined && reactions.isOn?.(settings) !== false });
  }

  /** Ends the current read if it is no longer needed. */
  prune(): void {
    if (!this.#isNeeded()) this.#stop.abort();
  }

  /** Reads until no open request is shown, then confirms what was read. Never rejects. */
  async run(): Promise<void> {
    do {
      this.#stop = new AbortController();
      while (this.#isNeeded()) await this.#readOrWait(this.#host.context());
      await this.#acknowledged;
      await this.#confirm();
    } while (this.#isNeeded());
  }

  get #names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  #isNeeded(): boolean {
    return this.#host.isAskedAt(this.#names);
  }

  async #readOrWait(context: RunContext): Promise<void> {
    if (isAwake(this.#lock)) return this.#host.clock.wait(lockPollMs, this.#stop.signal);
    try {
      await this.#readOnce(context);
      this.#failures = 0;
    } catch (error) {
      if (!this.#isNeeded() || isAwake(this.#lock)) return;
      await this.#pauseAfter(error, context);
    }
  }

  async #readOnce({ ports }: RunContext): Promise<void> {
    const { readMs } = this.#reader;
    const stop = this.#stop.signal;
    const beganAtMs = this.#host.clock.uptimeMs();
    const { presses, cursor } = await this.#within(readMs + graceMs, ports, (call) => {
      const signal = AbortSignal.any([call.signal, stop]);
      return this.#reader.read({ ...call, signal }, this.#cursor);
    });
    if (cursor === undefined && this.#host.clock.uptimeMs() - beganAtMs < minReadMs)
      await this.#host.clock.wait(minReadMs, stop);
    this.#cursor = cursor ?? this.#cursor;
    const names = this.#names;
    const entries = { names, seenNames: names.filter((name) => this.#entries.get(name)?.isSeen) };
    for (const press of presses) this.#acknowledge(press, this.#host.judge(press, entries), ports);
  }

  /** Acknowledges presses one after the other, while the next read goes on. */
  #acknowledge(press: ButtonPress, text: string | undefined, ports: Ports): void {
    const send = () => this.#within(graceMs, ports, (call) => this.#reader.acknowledge(call, press, text));
    this.#acknowledged = this.#acknowledged.then(send).catch(() => {}); // the waiting sign ends on its own
  }

  /** Confirms what was read, so that the next reader does not get it again. Ignores errors. */
  async #confirm(): Promise<void> {
    const cursor = this.#cursor;
    if (cursor === undefined || isAwake(this.#lock)) return;
    const confirm = (call: CheckCall<Settings>) => this.#reader.confirm(call, cursor);
    await this.#within(graceMs, this.#host.context().ports, confirm).catch(() => {});
  }

  async #pauseAfter(error: unknown, context: RunContext): Promise<void> {
    const [notifier] = [...this.#entries.values()].map((entry) => entry.notifier);
    if (!notifier) return;
    const names = this.#names;
    const failure =
      this.#failures === 0 ? journalFailure(error, { names, notifier }, context) : describeFailure(error, notifier);
    const { retryAfterMs = Math.min(pausesMs.first * 2 ** this.#failures, pausesMs.longest) } = failure;
    this.#failures += 1;
    await this.#host.clock.wait(retryAfterMs, this.#stop.signal);
  }

  #within<T>(budgetMs: number, ports: Ports, act: (call: CheckCall<Settings>) => Promise<T>): Promise<T> {
    return withinBudget(budgetMs, ports.clock, (signal) => act({ settings: this.#settings, ports, signal }));
  }
}

/** Journals that pressed buttons cannot be read. Returns the failure. */
function journalFailure(
  error: unknown,
  { names, notifier }: { readonly names: readonly string[]; readonly notifier: ConfiguredNotifier["notifier"] },
  { journal }: Pick<RunContext, "journal">,
): Failure {
  const failure = describeFailure(error, notifier);
  const reason = `${unreadableReason} ${failure.reason}: ${failure.message}`;
  for (const name of names) journal.write({ id: readerId([name]), notifier: name, status: "skipped", reason });
  return failure;
}

/** Reads pressed buttons while messages with open requests are visible, one reader for each account. */
export class PressReaders {
  readonly #host: ReaderHost;
  readonly #accounts = new Map<string, { readonly reader: AccountReader; readonly ended: Promise<void> }>();
  readonly #names = new Set<string>();

  constructor(host: ReaderHost) {
    this.#host = host;
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
  async follow(configured: ConfiguredNotifier, context: RunContext): Promise<void> {
    const { name, notifier } = configured;
    if (!notifier.lifecycle?.answers?.reader || this.#names.has(name)) return;
    this.#names.add(name);
    try {
      do await this.#read(configured, context);
      while (this.#host.isAskedAt([name])); // a request may have been shown while the last read was being confirmed
    } catch (error) {
      journalFailure(error, { names: [name], notifier }, context);
    } finally {
      this.#names.delete(name);
    }
  }

  async #read(configured: ConfiguredNotifier, { ports, keepSecret }: RunContext): Promise<void> {
    const { notifier } = configured;
    const settings = await resolveNotifierSettings(configured, ports.exec, keepSecret);
    const reader = await notifier.lifecycle?.answers?.reader?.();
    if (!reader) return;
    const account = reader.account(settings);
    const running = this.#accounts.get(account);
    const current = running?.reader ?? new AccountReader(reader, settings, this.#host);
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
