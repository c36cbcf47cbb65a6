import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import type { Credentials } from "../../../src/relay/nats/credentials.ts";
import { streamName } from "../../../src/relay/nats/names.ts";
import { asAdmin } from "../../../src/relay/server/reach-server.ts";
import { readServer } from "../../../src/relay/server/server-settings.ts";
import { createHome, type Home, run, sleep } from "../../world/home.ts";
import { type Receiver, startReceiver } from "../../world/receiver.ts";
import { freePort, listening, serverProgram } from "../../world/servers.ts";

/** A user's machine that manages a server, another with agents, and the user's receiver. */
export class OwnServer {
  readonly desk = createHome("beckon-desk");
  readonly edge = createHome("beckon-edge");
  readonly port: number;
  readonly receiver: Receiver;
  readonly #children: ChildProcess[] = [];

  static async create(): Promise<OwnServer> {
    return new OwnServer(await freePort(), await startReceiver());
  }

  private constructor(port: number, receiver: Receiver) {
    this.port = port;
    this.receiver = receiver;
    const notifiers = { hook: { type: "webhook", url: receiver.url, for: "person" } };
    this.desk.writeConfig({ notifiers, attention: { wait: "0s" } });
  }

  get folder(): string {
    return join(this.desk.paths.relay, "server");
  }

  get address(): string {
    return `tls://127.0.0.1:${this.port}`;
  }

  /** Runs the command line of one of the machines, with nats-server on PATH. */
  beckon(home: Home, args: readonly string[], input = "") {
    const cli = join(home.paths.app, "dist", "cli.js");
    const PATH = `${dirname(serverProgram("nats-server"))}:/usr/bin:/bin`;
    return run(process.execPath, [cli, ...args], input, { env: { ...home.env, PATH } });
  }

  /** Runs `beckon relay up` on the desk. */
  up(...args: readonly string[]) {
    const fixed = ["--listen", `127.0.0.1:${this.port}`, "--name", "localhost", "--person", "alice"];
    return this.beckon(this.desk, ["relay", "up", ...fixed, ...args]);
  }

  /** Makes an invitation with `relay invite`. */
  async invitation(...args: readonly string[]): Promise<{ readonly text: string; readonly creds: Credentials }> {
    const { exitCode, stdout, stderr } = await this.beckon(this.desk, ["relay", "invite", ...args]);
    if (exitCode !== 0) throw new Error(stderr);
    return { text: stdout, creds: JSON.parse(stdout).creds as Credentials };
  }

  /** Starts the server as `relay up` says, and waits until it listens. */
  async startServer(): Promise<ChildProcess> {
    const args = ["-c", join(this.folder, "nats-server.conf"), "-l", this.#log];
    const child = this.#start(serverProgram("nats-server"), args);
    await listening(this.port);
    return child;
  }

  get #log(): string {
    return join(this.folder, "nats-server.log");
  }

  /** Counts how often the server has read its configuration again. */
  countReloads(): number {
    return readFileSync(this.#log, "utf8").split("Reloaded server configuration").length - 1;
  }

  /** Starts `beckon relay run` on the desk. */
  receive(home: Home = this.desk): ChildProcess {
    return this.#start(process.execPath, [join(home.paths.app, "dist", "cli.js"), "relay", "run"], home.env);
  }

  /** Has an agent at the edge ask for something. */
  async ask(words: string): Promise<void> {
    const request = { notification_type: "permission_prompt", message: words, session_id: words };
    const payload = { hook_event_name: "Notification", cwd: "/home/ann/shop", ...request };
    await this.edge.launch(["Notification", "--agent", "claude"], JSON.stringify(payload));
  }

  /** Returns the texts of the messages sent to the user. */
  words(): string[] {
    return this.receiver.received.map(({ body }) => JSON.parse(body).data.message as string);
  }

  /** Reads the stream of events as the admin. */
  async stream() {
    const server = readServer(this.desk.paths);
    if (!server) throw new Error("there is no server");
    return asAdmin(server, async (connection) => (await jetstreamManager(connection)).streams.info(streamName));
  }

  usersConf(): string {
    return readFileSync(join(this.folder, "users.conf"), "utf8");
  }

  async remove(): Promise<void> {
    for (const child of this.#children) await end(child);
    await this.receiver.close();
    await this.edge.remove();
    await this.desk.remove();
  }

  #start(file: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
    const child = spawn(file, args, { stdio: "ignore", env });
    this.#children.push(child);
    return child;
  }
}

/** Stops a program and waits until it has ended. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; !(await condition()); await sleep(50))
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition}`);
}
