import { join } from "node:path";
import type { AnswerKeeper } from "../answers/answer-keeper.ts";
import { readErrno } from "../core/errors.ts";
import type { AgentEvent } from "../core/event.ts";
import type { AnswerOffer } from "../core/notifier-call.ts";
import type { ClockPort } from "../core/ports.ts";
import { quietly } from "../core/quietly.ts";
import { createFile } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";
import { identifyEvent } from "../journal/journal-line.ts";
import type { AnswerDesk, AskedEvent, RunContext } from "../pipeline/context.ts";
import type { AskOutcome } from "../pipeline/run-state.ts";

/** Permission requests that wait for an answer from outside the agent. The code is loaded when the first hook asks. */
export class LazyAnswers implements AnswerDesk {
  readonly #paths: Pick<Paths, "root" | "asks" | "state">;
  readonly #clock: ClockPort;
  readonly #wake: () => void;
  #loading: Promise<AnswerKeeper> | undefined;
  #keeper: AnswerKeeper | undefined;

  /** @param wake called when an answer may have arrived */
  constructor(paths: Pick<Paths, "root" | "asks" | "state">, clock: ClockPort, wake: () => void) {
    this.#paths = paths;
    this.#clock = clock;
    this.#wake = wake;
  }

  /** True while a request waits for an answer. */
  get busy(): boolean {
    return this.#keeper?.busy === true;
  }

  /** True while a waiting hook keeps the user from answering in the agent. */
  get isSerial(): boolean {
    return this.#keeper?.isSerial === true;
  }

  /** Notes an event. After an error the event goes on without answers. */
  async note(asked: AskedEvent, context: RunContext): Promise<void> {
    if (asked.record.header.ask === undefined && !this.#keeper) return;
    try {
      this.#loading ??= this.#load();
      await (await this.#loading).note(asked, context);
    } catch (error) {
      if (!this.#keeper) this.#loading = undefined;
      quietly(() => createFile(join(this.#paths.asks, asked.event.id), ""));
      const reason = `it could not be held: ${readErrno(error) ?? "bug"}`;
      context.journal.write({ ...identifyEvent(asked.event), status: "given-up", reason });
    }
  }

  offer(event: AgentEvent, notifier: string): AnswerOffer | undefined {
    return this.#keeper?.offer(event, notifier);
  }

  isAwaited(event: AgentEvent, context: Pick<RunContext, "alerts">): boolean {
    return this.#keeper?.isAwaited(event, context) === true;
  }

  isHeld(id: string): boolean {
    return this.#keeper?.open.has(id) === true;
  }

  findOutcome(event: AgentEvent): AskOutcome | undefined {
    return this.#keeper?.ended.findOutcome(event);
  }

  isReading(notifier: string): boolean {
    return this.#keeper?.isReading(notifier) === true;
  }

  /** Checks the open requests, which may have been answered or withdrawn. */
  poll(context: RunContext): void {
    this.#keeper?.poll(context);
  }

  /** Ends all requests without an answer. */
  endAll(reason: string): void {
    this.#keeper?.endAll(reason);
  }

  /** Ends all requests, and stops following files. */
  close(): void {
    this.endAll("the worker ended");
    this.#keeper?.close();
  }

  async #load(): Promise<AnswerKeeper> {
    const { AnswerKeeper } = await import("../answers/answer-keeper.ts");
    this.#keeper = new AnswerKeeper(this.#paths, this.#clock, this.#wake);
    return this.#keeper;
  }
}
