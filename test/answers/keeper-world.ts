import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AnswerKeeper } from "../../src/answers/answer-keeper.ts";
import type { AnswerSettings } from "../../src/config/answers-table.ts";
import type { AnswerOffer } from "../../src/core/notifier-call.ts";
import type { Presence } from "../../src/core/presence-port.ts";
import { resolvePaths } from "../../src/files/paths.ts";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import type { RunContext } from "../../src/pipeline/context.ts";
import { parse } from "../../src/pipeline/parse.ts";
import { type AskedCall, askedPayload } from "../world/asking-agent.ts";
import { FakeClock } from "../world/fake-clock.ts";

/** Open requests of a worker, with a clock, a user's presence and a hook's process set by the test. */
export class KeeperWorld {
  readonly paths = resolvePaths(mkdtempSync(join(tmpdir(), "beckon-asks-")));
  readonly clock = new FakeClock(1_800_000_000_000);
  readonly lines: Omit<JournalLine, "at">[] = [];
  readonly presence: { now: Presence; typedAtMs: number | undefined } = { now: {}, typedAtMs: undefined };
  /** Process in place of a waiting hook. */
  readonly hook: ChildProcess = spawn("sleep", ["600"], { stdio: "ignore" });
  readonly settings: { -readonly [Name in keyof AnswerSettings]: AnswerSettings[Name] } = {
    agents: ["claude"],
    projects: ["/tmp/**"],
    wait: 600_000,
    when: "always",
    never: [],
    from: { desk: ["deny", "allow"], pager: ["deny"] },
  };
  isConfigured = true;
  keeper: AnswerKeeper;
  #count = 0;

  constructor() {
    this.keeper = this.#newKeeper();
  }

  #newKeeper(): AnswerKeeper {
    return new AnswerKeeper(this.paths, this.clock, () => {});
  }

  /** Replaces the worker by another one, which has another key. */
  restart(): void {
    this.keeper.close();
    this.keeper = this.#newKeeper();
  }

  get context(): RunContext {
    const { lines, settings, presence, clock } = this;
    const journal = {
      write: (line: Omit<JournalLine, "at">) => void lines.push(line),
      readLines: (id: string) => lines.filter((line) => line.id === id),
    };
    const context = {
      config: { answers: this.isConfigured ? settings : undefined, attention: { away: 180_000 }, notifiers: new Map() },
      journal,
      alerts: { get: () => undefined, all: () => [] },
      ports: { clock, presence: { ask: async () => presence.now, typedAtMs: () => presence.typedAtMs } },
    };
    return context as unknown as RunContext;
  }

  /** Has an agent ask, and returns the request's id. */
  async ask(
    call: Partial<AskedCall> = {},
    { isNew = true, seconds = 600, hook = this.hook.pid ?? 0 } = {},
  ): Promise<string> {
    this.#count += 1;
    const id = `ask-${this.#count}`;
    const payload = Buffer.from(askedPayload({ tool: "Bash", input: { command: "npm test" }, ...call }));
    const record = {
      header: { v: 1, event: "PermissionRequest", agent: "claude", ask: seconds, hook },
      payload,
      end: 0,
    } as const;
    await this.keeper.note({ record, event: parse(record, id, this.clock.now()), isNew }, this.context);
    return id;
  }

  /** Has the session send another event. */
  async tell(event: string, more: object = {}): Promise<void> {
    const payload = Buffer.from(JSON.stringify({ hook_event_name: event, session_id: "s1", cwd: "/tmp", ...more }));
    const record = { header: { v: 1, event, agent: "claude" }, payload, end: 0 } as const;
    await this.keeper.note({ record, event: parse(record, `${event}-1`, this.clock.now()), isNew: true }, this.context);
  }

  /** Returns the buttons of a request's message, once the message has been visible for two seconds. */
  offer(id: string, notifier = "desk"): AnswerOffer | undefined {
    const ask = this.keeper.open.get(id);
    const offer = ask && this.keeper.offer(ask.event, notifier);
    offer?.markShown();
    this.clock.skip(2_000);
    return offer;
  }

  token(offer: AnswerOffer | undefined, choice: "allow" | "deny"): string {
    return offer?.choices.find((button) => button.choice === choice)?.token ?? "";
  }

  /** Reads the text in the place of an answer; undefined if there is none. */
  answer(id: string): string | undefined {
    const file = join(this.paths.asks, id);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }

  /** Takes an answer, as the hook does. */
  take(id: string): string | undefined {
    const text = this.answer(id);
    if (text !== undefined) renameSync(join(this.paths.asks, id), join(this.paths.asks, `${id}.taken`));
    return text;
  }

  /** Ends the hook's process. */
  async endHook(): Promise<void> {
    this.hook.kill("SIGKILL");
    await once(this.hook, "exit");
  }

  plant(name: string, text: string): void {
    writeFileSync(join(this.paths.asks, name), text, { mode: 0o600 });
  }

  poll(): void {
    this.keeper.poll(this.context);
  }

  statuses(id: string): string[] {
    return this.lines.filter((line) => line.id === id).map(({ status }) => status);
  }

  files(): string[] {
    return readdirSync(this.paths.asks).sort();
  }

  remove(): void {
    this.keeper.close();
    this.hook.kill();
    rmSync(this.paths.root, { recursive: true, force: true });
  }
}
