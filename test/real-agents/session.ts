import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { project, type RealAgent } from "./agents/agent.ts";
import type { Desktop } from "./desktop.ts";
import type { Script } from "./model/script.ts";
import { Terminal, until } from "./terminal.ts";

/** A beckon call, as its `file` notifier wrote it. */
export interface Call {
  readonly kind: string;
  readonly title: string;
  readonly body: string;
}

/** The output file of the `file` notifier. */
export const callsFile = "/home/out/calls.jsonl";

/** A line of JSON for each request to the model. */
export const modelLog = "/home/out/model.jsonl";

/** File with the agent's whole terminal output, unchanged. */
export const streamFile = "/home/out/terminal.raw";

/** Reads the calls made so far. */
export function readCalls(): Call[] {
  if (!existsSync(callsFile)) return [];
  const lines = readFileSync(callsFile, "utf8").split("\n");
  return lines.slice(0, -1).map((line) => {
    // the last is empty or incomplete
    const { kind, title, body } = (JSON.parse(line) as { readonly data: Call }).data;
    return { kind, title, body };
  });
}

/** One user at one agent. The methods are the building blocks of a scenario, the same with and without hooks. */
export class Session {
  /** Deviations from the scenario, which make a run a failure, whatever rang. */
  readonly troubles: string[] = [];
  readonly screens: Record<string, string> = {};
  /** Figures to be printed. */
  readonly remarks: string[] = [];
  /** Number of prompts given to the agent so far. */
  said = 0;
  /** Position in `streamFile` at which the agent first accepted a prompt; earlier output is its own dialogs. */
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

  /** Desktop, in a scenario that has one. */
  get desktop(): Desktop {
    if (!this.#desktop) throw new Error("The scenario uses a desktop that it has not asked for.");
    return this.#desktop;
  }

  /** Terminal, once the agent was opened in it. */
  get terminal(): Terminal {
    if (!this.opened) throw new Error("The scenario uses a terminal that it has not opened.");
    return this.opened;
  }

  /**
   * Runs the agent without a terminal until it ends, or for 90 seconds and more if it is a slow one.
   * @param isInterrupted presses Ctrl-C once the model was asked
   */
  async headless(script: Script, isInterrupted = false): Promise<void> {
    const [program = "", ...args] = this.agent.headless(`PLAY-${script} please`);
    const env = { ...process.env, ...this.agent.env };
    this.said += 1;
    const child = spawn(program, args, { cwd: project, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
    const seconds = Math.max(90, this.agent.maxPauseSeconds);
    const signal = (name: NodeJS.Signals) => process.kill(-(child.pid ?? 0), name);
    const timer = setTimeout(() => signal("SIGKILL"), seconds * 1000);
    if (isInterrupted) void until(() => this.hasAsked(script), seconds).then((isAsked) => isAsked && signal("SIGINT"));
    await new Promise<void>((resolve) => {
      child.once("error", (error) => {
        this.troubles.push(String(error));
        resolve();
      });
      child.once("close", (_, killedBy) => {
        if (killedBy === "SIGKILL") this.troubles.push(`it did not end within ${seconds} s`);
        resolve();
      });
    });
    clearTimeout(timer);
    writeFileSync("/home/out/headless.txt", output);
  }

  /** Starts the agent in a terminal, answers its dialogs, and waits until it accepts a prompt. */
  async open(command: readonly string[] = this.agent.interactive): Promise<void> {
    this.opened = new Terminal(command, project, this.agent.env, streamFile);
    const end = Date.now() + this.agent.maxPauseSeconds * 1000;
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
   * Types a prompt that plays a script, and waits for the model's request. Enter is pressed again if the agent took the
   * first for part of a paste.
   */
  async say(script: Script): Promise<void> {
    const earlier = countRequests(script);
    const isAsked = () => countRequests(script) > earlier;
    this.said += 1;
    await this.terminal.enter(`PLAY-${script} please`);
    const end = Date.now() + this.agent.maxPauseSeconds * 1000;
    while (Date.now() < end) {
      if (await until(isAsked, 8)) return;
      this.terminal.press("Enter");
    }
    this.stuck(`the model was never asked for ${script}`);
  }

  /** True if the model got a request for a script, from the agent or one of its sub-agents. */
  hasAsked(script: Script): boolean {
    return countRequests(script) > 0;
  }

  /** Waits for text on the screen; its absence is a trouble. */
  async shows(what: RegExp, seconds = this.agent.maxPauseSeconds): Promise<void> {
    if (!(await until(() => what.test(this.terminal.screen()), seconds))) this.stuck(`the screen never showed ${what}`);
  }

  /** With hooks, waits for a number of calls; the final calls are compared later. */
  async calls(count: number, seconds = 20): Promise<void> {
    if (this.hasHooks) await until(() => readCalls().length >= count, seconds);
  }

  async pause(seconds: number): Promise<void> {
    await sleep(seconds * 1000);
  }

  /** Keeps the screen under a name, to compare it with the screen of the other run. */
  async look(name: string): Promise<void> {
    await sleep(1000); // drawn after the answer
    this.screens[name] = this.terminal.screen();
  }

  /** Presses keys one after the other, as a user does. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.terminal.press(key);
      await sleep(400);
    }
  }

  /** Interrupts the turn, and waits until the screen shows it. */
  async interrupt(): Promise<void> {
    await this.press(...this.agent.interrupt);
    await this.stops();
    await this.pause(4);
  }

  /** Waits until the screen shows that the turn has ended, if the agent shows it. */
  async stops(): Promise<void> {
    const { working, maxPauseSeconds } = this.agent;
    const hasStopped = () => !working?.test(this.terminal.screen());
    if (!(await until(hasStopped, maxPauseSeconds))) this.stuck("its turn did not end");
  }

  /** Leaves with the agent's exit command, typed again if a busy machine lost it. */
  async leave(): Promise<void> {
    for (let tries = 0; tries < 3 && !this.terminal.hasEnded(); tries += 1) {
      this.terminal.press("C-u"); // an interrupted prompt may have returned
      await sleep(200);
      await this.terminal.enter(this.agent.exit);
      await until(() => this.terminal.hasEnded(), 20);
    }
    await this.ends();
  }

  /**
   * Waits, for a minute at most, until the program has ended, because some programs first wait for an interrupted
   * answer. Then keeps the screen.
   */
  async ends(): Promise<void> {
    if (!(await until(() => this.terminal.hasEnded(), 60))) this.stuck("it did not end");
    this.screens["end"] = this.terminal.screen(200);
  }

  private async answer(pattern: RegExp, ...keys: readonly string[]): Promise<void> {
    await this.press(...keys);
    await until(() => !pattern.test(this.terminal.screen()), 5);
  }

  /** Records a deviation from the scenario. */
  stuck(what: string): void {
    this.troubles.push(what);
    this.screens["stuck"] ??= this.terminal.screen();
  }
}

/** Counts the requests that the model got for a script. */
function countRequests(script: Script): number {
  // A request without tools is for a title.
  const request = new RegExp(`"script":"${script}","status":\\d+,"tools":[1-9]`, "g");
  return existsSync(modelLog) ? (readFileSync(modelLog, "utf8").match(request) ?? []).length : 0;
}
