import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { project, type RealAgent } from "./agents/agent.ts";
import type { Desktop } from "./desktop.ts";
import type { Script } from "./model/script.ts";
import { Terminal, until } from "./terminal.ts";

/** A call that beckon made, as its `file` notifier wrote it. */
export interface Call {
  readonly kind: string;
  readonly title: string;
  readonly body: string;
}

/** Where the `file` notifier writes. */
export const callsFile = "/home/out/calls.jsonl";

/** A line of JSON for each request to the model. */
export const modelLog = "/home/out/model.jsonl";

/** All that the agent wrote to its terminal, as it was. */
export const streamFile = "/home/out/terminal.raw";

/** The calls made so far. */
export function readCalls(): Call[] {
  if (!existsSync(callsFile)) return [];
  const lines = readFileSync(callsFile, "utf8").split("\n");
  return lines.slice(0, -1).map((line) => {
    // the last is empty, or is being written
    const { kind, title, body } = (JSON.parse(line) as { readonly data: Call }).data;
    return { kind, title, body };
  });
}

/**
 * One person at one agent: what the steps of a scenario are made of. The same steps are made with and without hooks.
 */
export class Session {
  /** What did not go as the scenario has it: it makes a run a failure, whatever rang. */
  readonly troubles: string[] = [];
  readonly screens: Record<string, string> = {};
  /** How many prompts the agent was given. */
  said = 0;
  /** Where in `streamFile` the agent first took a prompt: what is before it are its own dialogs. */
  readyAtByte = 0;
  readonly agent: RealAgent;
  readonly hasHooks: boolean;
  readonly #desktop: Desktop | undefined;
  private opened: Terminal | undefined;

  constructor(agent: RealAgent, hasHooks: boolean, desktop?: Desktop) {
    this.agent = agent;
    this.hasHooks = hasHooks;
    this.#desktop = desktop;
  }

  /** The desktop, in a scenario that has one. */
  get desktop(): Desktop {
    if (!this.#desktop) throw new Error("The scenario uses a desktop that it has not asked for.");
    return this.#desktop;
  }

  /** The terminal, once the agent was opened in it. */
  get terminal(): Terminal {
    if (!this.opened) throw new Error("The scenario uses a terminal that it has not opened.");
    return this.opened;
  }

  /** Runs the agent without a terminal until it ends, or for 90 seconds; `interruptAfter` so many presses Ctrl-C. */
  async headless(script: Script, interruptAfter?: number): Promise<void> {
    const [program = "", ...args] = this.agent.headless(`PLAY-${script} please`);
    const env = { ...process.env, ...this.agent.env };
    this.said += 1;
    const child = spawn(program, args, { cwd: project, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
    const signal = (name: NodeJS.Signals) => () => process.kill(-(child.pid ?? 0), name);
    const timers = [setTimeout(signal("SIGKILL"), 90_000)];
    if (interruptAfter !== undefined) timers.push(setTimeout(signal("SIGINT"), interruptAfter * 1000));
    await new Promise<void>((resolve) => {
      child.once("error", (error) => {
        this.troubles.push(String(error));
        resolve();
      });
      child.once("close", (_, killedBy) => {
        if (killedBy === "SIGKILL") this.troubles.push("it did not end within 90 s");
        resolve();
      });
    });
    for (const timer of timers) clearTimeout(timer);
    writeFileSync("/home/out/headless.txt", output);
  }

  /** Starts the agent in a terminal, answers its dialogs, and waits until it takes a prompt: a minute at most. */
  async open(command: readonly string[] = this.agent.interactive): Promise<void> {
    this.opened = new Terminal(command, project, this.agent.env, streamFile);
    const end = Date.now() + 60_000;
    let readySince = Number.POSITIVE_INFINITY;
    let reviewsLeft = this.hasHooks && this.agent.reviewsHooks && this.readyAtByte === 0 ? 1 : 0;
    while (reviewsLeft > 0 || Date.now() - readySince < this.agent.readyForSeconds * 1000) {
      if (Date.now() > end) return this.stuck("it did not get ready for a prompt");
      await sleep(200);
      const screen = this.terminal.screen();
      const dialog = this.agent.dialogs.find(([pattern]) => pattern.test(screen));
      if (dialog) {
        reviewsLeft = 0;
        await this.answer(...dialog);
      }
      const isReady = !dialog && this.agent.ready.test(screen);
      readySince = isReady ? Math.min(readySince, Date.now()) : Number.POSITIVE_INFINITY;
    }
    await sleep(1000);
    this.readyAtByte ||= statSync(streamFile).size;
  }

  /**
   * Types a prompt that plays a script, and waits until the model is asked. Enter is pressed again where the agent took
   * the first for a part of something pasted.
   */
  async say(script: Script): Promise<void> {
    const isAsked = () => this.hasAsked(script);
    this.said += 1;
    await this.terminal.enter(`PLAY-${script} please`);
    for (let tries = 0; tries < 4; tries += 1) {
      if (await until(isAsked, 8)) return;
      this.terminal.press("Enter");
    }
    this.stuck(`the model was never asked for ${script}`);
  }

  /** Whether the model was asked for a script, by the agent or by one of its sub-agents. */
  hasAsked(script: Script): boolean {
    return existsSync(modelLog) && readFileSync(modelLog, "utf8").includes(`"script":"${script}"`);
  }

  /** Waits until something is on the screen; a trouble if it does not come. */
  async shows(what: RegExp, seconds = 60): Promise<void> {
    if (!(await until(() => what.test(this.terminal.screen()), seconds))) this.stuck(`the screen never showed ${what}`);
  }

  /** With hooks, waits until so many calls were made; what was made in the end is compared later. */
  async calls(count: number, seconds = 20): Promise<void> {
    if (this.hasHooks) await until(() => readCalls().length >= count, seconds);
  }

  async pause(seconds: number): Promise<void> {
    await sleep(seconds * 1000);
  }

  /** Keeps the screen, under a name, to be compared with the other run's. */
  async look(name: string): Promise<void> {
    await sleep(1000); // what is drawn after the answer
    this.screens[name] = this.terminal.screen();
  }

  /** Presses keys one after the other, as a person does. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.terminal.press(key);
      await sleep(400);
    }
  }

  /** Leaves with the agent's exit command, typed again where a busy machine lost it. */
  async leave(): Promise<void> {
    for (let tries = 0; tries < 3 && !this.terminal.hasEnded(); tries += 1) {
      this.terminal.press("C-u"); // a prompt that was interrupted may have come back
      await sleep(200);
      await this.terminal.enter(this.agent.exit);
      await until(() => this.terminal.hasEnded(), 20);
    }
    await this.ends();
  }

  /**
   * Waits until the program has ended, a minute at most: some await an answer that was interrupted first. Then keeps
   * the screen.
   */
  async ends(): Promise<void> {
    if (!(await until(() => this.terminal.hasEnded(), 60))) this.stuck("it did not end");
    this.screens["end"] = this.terminal.screen(200);
  }

  private async answer(pattern: RegExp, ...keys: readonly string[]): Promise<void> {
    await this.press(...keys);
    await until(() => !pattern.test(this.terminal.screen()), 5);
  }

  /** Notes what did not go as the scenario has it. */
  stuck(what: string): void {
    this.troubles.push(what);
    this.screens["stuck"] ??= this.terminal.screen();
  }
}
