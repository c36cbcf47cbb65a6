import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { AnswerKeeper } from "../../src/answers/answer-keeper.ts";
import { type AnswerResult, type Ask, hashShown, readAskFile } from "../../src/answers/ask-files.ts";
import type { HeldAsk } from "../../src/answers/held-asks.ts";
import type { Concern } from "../../src/attention/alert.ts";
import type { AnswerSettings } from "../../src/config/answers-table.ts";
import { parseJson } from "../../src/core/json-value.ts";
import type { AnswerOffer } from "../../src/core/notifier-call.ts";
import type { Presence } from "../../src/core/ports.ts";
import { resolvePaths } from "../../src/files/paths.ts";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import type { RunContext } from "../../src/pipeline/context.ts";
import { parse } from "../../src/pipeline/parse.ts";
import { type AskedCall, askedIn, askedPayload } from "../world/asking-agent.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { makeLastingFolder } from "../world/lasting-folder.ts";

/** Request to answer, as a command writes it, and the process that writes it. */
interface RequestOptions {
  readonly choice?: string;
  readonly via?: string;
  readonly reason?: string;
  /** Id of the request; default: the open one's. */
  readonly ask?: string;
  readonly hash?: string;
  /** Description that the command shows instead of the worker's. */
  readonly shown?: Ask;
  readonly pid?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** False: closes the file after writing it. */
  readonly isOpen?: boolean;
  /** False: listens on no port. */
  readonly listens?: boolean;
  /** True: the process that started it has ended. */
  readonly isOrphan?: boolean;
  /** True: an agent has started it. */
  readonly isAgents?: boolean;
  /** Time until the worker reads it, milliseconds. */
  readonly waitMs?: number;
}

/** Writes a request into a file, prints its own number, and keeps the file open; listens on a port as the board does. */
const writeRequest = `const [path, body, pid, isOpen, listens] = process.argv.slice(1);
const write = () => {
  const fd = require("fs").openSync(path, "w", 0o600);
  require("fs").writeSync(fd, body.replace('"PID"', pid || process.pid));
  if (!isOpen) require("fs").closeSync(fd);
  console.log(process.pid);
  setTimeout(() => {}, 60_000);
};
if (listens) require("net").createServer().listen(0, "127.0.0.1", write);
else write();`;

/** Number of a process that does not run, in place of an agent's. */
const absentPid = 2 ** 30;

/**
 * Open requests of a worker until the end of the test, with a clock, a user's presence and a hook's process set by the
 * test.
 */
export class KeeperWorld {
  readonly paths = resolvePaths(makeLastingFolder("keeper"));
  readonly clock = new FakeClock(1_800_000_000_000);
  readonly lines: Omit<JournalLine, "at">[] = [];
  readonly presence: { now: Presence; typedAtMs: number | undefined; noticesKeys: boolean } = {
    now: {},
    typedAtMs: undefined,
    noticesKeys: true,
  };
  /** End of the sessions' transcript. */
  transcript = "";
  /** Process in place of a waiting hook. */
  readonly hook: ChildProcess = spawn("sleep", ["600"], { stdio: "ignore" });
  readonly settings: { -readonly [Name in keyof AnswerSettings]: AnswerSettings[Name] } = {
    agents: ["claude"],
    projects: [`${askedIn}/**`],
    wait: 600_000,
    when: "always",
    never: [],
    from: { desk: ["deny", "allow"], pager: ["deny"] },
  };
  isConfigured = true;
  /** States of the concerns that requests raised, by the request's id. */
  readonly concernStates = new Map<string, Concern["state"]>();
  /** Processes of agents whose sessions are known. */
  agents: readonly number[] = [];
  keeper = new AnswerKeeper(this.paths, () => {});
  #count = 0;
  #first: HeldAsk | undefined;

  constructor() {
    onTestFinished(() => {
      this.keeper.close();
      this.hook.kill();
      rmSync(this.paths.root, { recursive: true, force: true });
    });
  }

  /** Replaces the worker by another one, which has another key. */
  restart(): void {
    this.keeper.close();
    this.keeper = new AnswerKeeper(this.paths, () => {});
  }

  get context(): RunContext {
    const { lines, settings, presence, clock } = this;
    const journal = {
      write: (line: Omit<JournalLine, "at">) => void lines.push(line),
      readLines: (id: string) => lines.filter((line) => line.id === id),
    };
    const states = [...this.concernStates].map(([id, state]) => ({ id, state }));
    const concerns = states.length > 0 ? states : undefined;
    const context = {
      config: { answers: this.isConfigured ? settings : undefined, attention: { away: 180_000 }, notifiers: new Map() },
      journal,
      alerts: { get: () => concerns && { concerns }, all: () => this.agents.map((pid) => ({ processes: [pid] })) },
      ports: {
        clock,
        files: { readTail: async () => this.transcript },
        presence: {
          ask: async () => presence.now,
          typedAtMs: () => presence.typedAtMs,
          noticesKeys: () => presence.noticesKeys,
          findInTerminals: () => [],
        },
      },
    };
    return context as unknown as RunContext;
  }

  /** First request. */
  get held(): HeldAsk {
    return this.#first as HeldAsk;
  }

  /** Has an agent ask, and returns the request's id. */
  async ask(
    call: Partial<AskedCall> = {},
    { isNew = true, seconds = 600, hook = this.hook.pid ?? 0, end = 0, ageMs = 0, agent = "claude" } = {},
  ): Promise<string> {
    this.#count += 1;
    const id = `ask-${this.#count}`;
    const payload = Buffer.from(askedPayload({ tool: "Bash", input: { command: "npm test" }, ...call }));
    const isForm = ["AskUserQuestion", "ExitPlanMode"].includes(call.tool ?? "") ? { form: true as const } : {};
    const record = {
      header: { v: 1, event: "PermissionRequest", agent, ask: seconds, hook, processes: [absentPid], ...isForm },
      payload,
      end,
    } as const;
    const event = parse(record, id, this.clock.now() - ageMs);
    await this.keeper.note({ record, event, isNew }, this.context);
    this.#first ??= this.keeper.asks.findOpen(id);
    return id;
  }

  /** Has an agent ask in another session, and returns the reason why the request is not held. */
  async askAbout(options: Parameters<KeeperWorld["ask"]>[1]): Promise<string | undefined> {
    await this.ask({ sessionId: "s2" }, options);
    return this.lines.at(-1)?.reason;
  }

  /** Has another process ask to answer a request, as `beckon answer` and the board do. */
  async request(id: string, options: RequestOptions = {}): Promise<AnswerResult | undefined> {
    const { choice = "allow", via = "board", ask = id, env = {}, waitMs = 2_000 } = options;
    const hash = options.hash ?? hashShown(options.shown ?? this.held);
    const { pid = "", isOpen = true, isOrphan = false, isAgents = false, listens = true, reason } = options;
    if (isAgents) this.agents = [process.pid];
    const body = JSON.stringify({ pid: "PID", ask, hash, choice, via, reason });
    const args = [join(this.paths.asks, "abc.request"), body, `${pid}`, isOpen ? "open" : "", listens ? "listens" : ""];
    const line = ["-c", isOrphan ? '"$0" -e "$@" &' : 'exec "$0" -e "$@"', process.execPath, writeRequest, ...args];
    const child = spawn("sh", line, {
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    const [written] = (await once(child.stdout, "data")) as [Buffer];
    if (isOrphan && child.exitCode === null) await once(child, "exit");
    this.clock.skip(waitMs);
    this.poll();
    process.kill(Number(written));
    return parseJson(readAskFile(this.paths, "abc.reply")?.text ?? "") as AnswerResult | undefined;
  }

  /** Plants a command's request. */
  plantRequest(text: string): void {
    this.plant("abc.request", text);
    this.poll();
  }

  /** Has the session send another event. */
  async tell(event: string, more: object = {}, agent = "claude"): Promise<void> {
    const payload = Buffer.from(JSON.stringify({ hook_event_name: event, session_id: "s1", cwd: askedIn, ...more }));
    const record = { header: { v: 1, event, agent }, payload, end: 0 } as const;
    await this.keeper.note({ record, event: parse(record, `${event}-1`, this.clock.now()), isNew: true }, this.context);
  }

  /** Returns the buttons of a request's message, once the message has been visible for two seconds. */
  offer(id: string, notifier = "desk"): AnswerOffer | undefined {
    const ask = this.keeper.asks.findOpen(id);
    const offer = ask && this.keeper.messages.offer(ask.event, notifier);
    offer?.markShown();
    this.clock.skip(2_000);
    return offer;
  }

  /** Presses buttons of a request's message, one after the other. */
  pressButtons(id: string, ...choices: readonly ("allow" | "deny")[]): void {
    const offer = this.offer(id);
    for (const choice of choices) offer?.press(this.token(offer, choice));
  }

  /** Denies a request as `beckon answer` does. */
  denyAtTerminal(id: string): void {
    const ask = this.keeper.asks.findOpen(id) ?? expect.fail("not open");
    this.keeper.asks.answer(ask, { choice: "deny", via: "terminal" }, 0);
  }

  token(offer: AnswerOffer | undefined, choice: "allow" | "deny"): string {
    return offer?.choices.find((button) => button.choice === choice)?.token ?? "";
  }

  /** Reads the text in the place of an answer; undefined if there is none. */
  answer(id: string): string | undefined {
    return readAskFile(this.paths, id)?.text;
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

  /** Journalled states of a request after it was opened: `answered deny, late`. */
  end(id: string): string {
    const lines = this.lines.filter((line) => line.id === id && line.status !== "asked");
    const named = lines.map(({ status, choice }) => (status === "answered" ? `${status} ${choice}` : status));
    return named.join(", ") || "nothing";
  }

  files(): string[] {
    return readdirSync(this.paths.asks).sort();
  }
}
