import { existsSync } from "node:fs";
import type { ClockPort } from "../../../../core/ports.ts";
import { acquire, type Lock, readingLock } from "../../../../files/lock.ts";
import type { Paths } from "../../../../files/paths.ts";

/** Time in which this command reads an account, so that the worker does not. */
export class ReadingTurn {
  readonly #paths: Pick<Paths, "asks">;
  #lock: Lock | undefined;

  constructor(paths: Pick<Paths, "asks">) {
    this.#paths = paths;
  }

  /** Begins the turn, if this machine has ever held a request. @param account absent if several programs may read */
  async begin(account: string | undefined, clock: ClockPort): Promise<void> {
    if (account === undefined || this.#lock?.isHeld() || !existsSync(this.#paths.asks)) return;
    this.#lock = await acquire(readingLock(this.#paths, account), clock).catch(() => undefined); // on a full disk both read
  }

  end(): void {
    this.#lock?.release();
  }
}
