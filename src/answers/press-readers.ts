import type { ConfiguredNotifier } from "../config/config.ts";
import type { RunContext } from "../pipeline/context.ts";
import { resolveNotifierSettings } from "../pipeline/resolve-settings.ts";
import { AccountReader, journalFailure, type ReaderHost } from "./account-reader.ts";

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
