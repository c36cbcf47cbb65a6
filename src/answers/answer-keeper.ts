import { makePrivateFolder } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";
import { findProcess } from "../files/process-table.ts";
import type { AskedEvent, RunContext } from "../pipeline/context.ts";
import { AnswerMessages } from "./answer-messages.ts";
import { AskFolder } from "./ask-folder.ts";
import { HeldAsks } from "./held-asks.ts";
import { decideHold } from "./judge-request.ts";

/** Keeps agents' permission requests open until the user answers, the agent goes on, or time runs out. */
export class AnswerKeeper {
  readonly asks: HeldAsks;
  readonly messages: AnswerMessages;
  readonly #folder: AskFolder;

  /** @param wake called when a file in the `asks` folder has changed, or an answer waits for its hook */
  constructor(paths: Pick<Paths, "root" | "asks" | "state">, wake: () => void) {
    makePrivateFolder(paths.asks);
    this.asks = new HeldAsks(paths, wake, (ask) => this.messages.showEnd(ask));
    this.messages = new AnswerMessages(this.asks);
    this.#folder = new AskFolder(this.asks, wake);
    this.#folder.follow();
  }

  /** True while a waiting hook keeps the user from answering in the agent, so that a key press must end the wait soon. */
  get isSerial(): boolean {
    return this.asks.open.some(({ keys }) => keys !== undefined);
  }

  /** True while a request waits for its answer, an answer waits for its hook, or the messages need more work. */
  get busy(): boolean {
    return this.asks.busy || this.messages.busy;
  }

  /**
   * Holds a request if the event's hook waits and the request may be answered outside the agent. Ends the session's
   * earlier requests if the agent went on.
   */
  async note(asked: AskedEvent, context: RunContext): Promise<void> {
    const { record, event } = asked;
    this.asks.context = context;
    this.asks.endFollowed(event);
    const { ask: waitSeconds, hook: pid = 0 } = record.header;
    if (waitSeconds === undefined || this.asks.knows(event.id)) return;
    const hook = { pid, startTicks: findProcess(pid)?.startTicks };
    const request = await decideHold(asked, hook, this.asks, context);
    if (typeof request === "string") return this.asks.leave({ event, hook }, request);
    const { config, ports } = context;
    const openedAtMs = ports.clock.uptimeMs();
    const ageMs = Math.max(0, ports.clock.now() - event.atMs);
    const leftMs = Math.min(waitSeconds * 1000, config.answers?.wait ?? 0) - ageMs;
    const { id, agent, project, cwd = "", sessionId = "", atMs } = event;
    const file = { id, agent, project, cwd, sessionId, atMs, untilMs: atMs + leftMs, worker: process.pid };
    const times = { openedAtMs, endsAtMs: openedAtMs + leftMs };
    this.asks.hold({ ...request, ...file, ...times, event, hook, shownAtMs: new Map(), receipts: new Map() });
  }

  /** Reads the `asks` folder, and ends the requests that can no longer be answered. */
  poll(context: RunContext): void {
    this.asks.context = context;
    this.#folder.follow();
    this.#folder.read();
    this.asks.endStale();
  }

  /** Stops watching the `asks` folder. */
  close(): void {
    this.#folder.close();
  }
}
