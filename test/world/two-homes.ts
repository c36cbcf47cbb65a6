import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { relayFiles } from "../../src/relay/relay-status.ts";
import { createHome, type Home, type RunOptions, readAllJournal, run, sleep } from "./home.ts";
import { useEach } from "./use.ts";

/** A message sent to the user. */
export interface Notification {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly message?: string;
}

/** The desk's configuration except its sources. */
interface DeskConfig {
  readonly relay?: object;
  readonly routes?: readonly object[];
  readonly notifiers?: object;
  readonly attention?: object;
}

/** Makes this many texts of requests. */
export const numbers = (count: number) => Array.from({ length: count }, (_, index) => `request ${index}`);

/** Waits until everything is delivered and no duplicate can be on its way. */
export async function untilNotified(homes: TwoHomes, expected: readonly string[], timeoutMs?: number): Promise<void> {
  await homes.until(() => homes.words().length >= expected.length, timeoutMs);
  await homes.until(() => homes.outbox().length === 0, timeoutMs);
  await homes.until(() => homes.desk.spooled().every((file) => file.startsWith("dead/")), timeoutMs);
  expect(homes.words().toSorted()).toEqual(expected.toSorted());
}

/** Makes four requests at the edge. The workers of the first three are killed at a step. */
export async function askWhileWorkersDie(homes: TwoHomes, step: string): Promise<void> {
  for (const words of numbers(3)) {
    await homes.ask(words, { env: { BECKON_CRASH_AT: step } });
    await sleep(150);
    await homes.edge.killWorker();
  }
  await homes.ask("request 3");
  await sleep(500); // a worker that is to be killed may be starting
  await homes.beckon(homes.edge, "flush");
}

/** Builds the command that connects two homes: plain pipes, as `docker exec -i` has them. */
export function pipesTo(home: Home, ...before: readonly string[]): string[] {
  return [...before, "env", "-i", `BECKON_HOME=${home.paths.root}`, `HOME=${home.paths.root}`, "PATH=/usr/bin:/bin"];
}

/** Makes two homes that are removed when the requesting test, or the test of its `beforeEach`, has ended. */
export function freshHomes(...configs: ConstructorParameters<typeof TwoHomes>): TwoHomes {
  const homes = new TwoHomes(...configs);
  onTestFinished(() => homes.remove());
  return homes;
}

/** Gives each test of a file or a `describe` block two homes. */
export const useHomes = (): TwoHomes => useEach("remove", () => new TwoHomes());

/** A machine with agents and the user's own machine, each with a real installation, and the receiver. */
export class TwoHomes {
  readonly edge = createHome("beckon-edge");
  readonly desk = createHome("beckon-desk");
  readonly notificationsFile = join(this.desk.paths.root, "told.jsonl");
  private readonly receivers: ChildProcess[] = [];

  constructor(deskConfig: DeskConfig = {}, edgeConfig: object = {}) {
    this.configureEdge({ via: "stdio", ...edgeConfig });
    this.configureDesk([this.pipes("devbox")], deskConfig);
  }

  /**
   * Configures the edge.
   * @param way settings of the notifier that sends events to the desk
   * @param others further notifiers by name
   */
  configureEdge(way: object, others: object = {}): void {
    this.edge.writeConfig({ notifiers: { home: { type: "relay", ...way }, ...others } });
  }

  /** Makes the entry of the edge as a source with this name. */
  pipes(host: string) {
    return { via: pipesTo(this.edge), host };
  }

  configureDesk(from: readonly object[], { relay = {}, ...others }: DeskConfig = {}): void {
    const notifiers = { desk: { type: "file", path: this.notificationsFile, for: "person" } };
    this.desk.writeConfig({ notifiers, attention: { wait: "0s" }, ...others, relay: { from, ...relay } });
  }

  /** Starts `beckon relay run`. */
  receive(env: NodeJS.ProcessEnv = {}): ChildProcess {
    const cli = join(this.desk.paths.app, "dist", "cli.js");
    const all = { ...this.desk.env, ...env };
    const child = spawn(process.execPath, [cli, "relay", "run"], { env: all, stdio: ["ignore", "ignore", "inherit"] });
    this.receivers.push(child);
    return child;
  }

  /** Ends a receiver, as Ctrl-C does. */
  async end(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }

  /** Fires an agent's event at the edge. */
  async fire(event: string, payload: object, options: RunOptions = {}): Promise<void> {
    const words = JSON.stringify({ hook_event_name: event, session_id: "s-1", cwd: "/home/ann/shop", ...payload });
    await this.edge.launch([event, "--agent", "claude"], words, options);
  }

  /** Makes a request for the user at the edge. */
  async ask(words: string, options: RunOptions = {}): Promise<void> {
    const request = { notification_type: "permission_prompt", message: words, session_id: words };
    await this.fire("Notification", request, options);
  }

  /** Messages sent to the user, oldest first. */
  notifications(): Notification[] {
    if (!existsSync(this.notificationsFile)) return [];
    const lines = readFileSync(this.notificationsFile, "utf8").split("\n").slice(0, -1); // the last may be incomplete
    return lines.map((line) => JSON.parse(line).data as Notification);
  }

  /** Returns the texts of the sent messages. */
  words(): string[] {
    return this.notifications().map(({ message = "" }) => message);
  }

  /** Lists the files that wait at the edge. */
  outbox(): string[] {
    const { outbox } = relayFiles(this.edge.paths);
    return existsSync(outbox) ? readdirSync(outbox).filter((file) => file.endsWith(".json")) : [];
  }

  deskJournal() {
    return readAllJournal(this.desk.paths.journal);
  }

  edgeJournal() {
    return readAllJournal(this.edge.paths.journal);
  }

  /** Waits until a condition holds. */
  async until(condition: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
    for (const deadline = Date.now() + timeoutMs; !(await condition()); await sleep(25)) {
      if (Date.now() < deadline) continue;
      const journal = [...this.edgeJournal(), ...this.deskJournal()].slice(-60);
      const lines = journal.map((line) => JSON.stringify(line)).join("\n");
      const state = `outbox: ${this.outbox().join(" ")}; told: ${this.words()}`;
      throw new Error(`not within ${timeoutMs} ms; ${state}\n${lines}`);
    }
  }

  /** Runs the command line of one of the machines. */
  async beckon(home: Home, ...args: readonly string[]) {
    return run(process.execPath, [join(home.paths.app, "dist", "cli.js"), ...args], "", { env: home.env });
  }

  /** Kills the edge's end of every connection, as a broken network does. False if there is none. */
  breakConnections(): boolean {
    const { status } = spawnSync("pkill", ["-KILL", "-f", `${this.edge.paths.app}/dist/cli.js relay serve`]);
    return status === 0;
  }

  async remove(): Promise<void> {
    for (const child of this.receivers) await this.end(child, "SIGKILL");
    this.breakConnections();
    await this.edge.remove();
    await this.desk.remove();
  }
}
