import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { basename } from "node:path";
import packageFile from "../../package.json" with { type: "json" };
import { isResolvedByUser } from "../attention/alert.ts";
import { alertFolder, ChangedAlerts } from "../attention/alert-files.ts";
import type { MachineSource } from "../config/relay-table.ts";
import { readErrno } from "../core/errors.ts";
import type { Timer } from "../core/ports.ts";
import { collectEnd } from "../files/read-file.ts";
import { wake } from "../spool/wake.ts";
import { cleanLine } from "../text/clean.ts";
import { cut } from "../text/cut.ts";
import { Intake } from "./intake.ts";
import type { OnChange } from "./keep-connected.ts";
import {
  pingEveryMs,
  protocolVersion,
  readLine,
  readLines,
  type ServeMessage,
  send,
  serveMessageSchema,
  silenceTimeoutMs,
} from "./protocol.ts";
import type { Inbox, Sender } from "./receive.ts";

/** Maximum number of unacknowledged envelopes for each urgency. */
const window = 64;
/** Longest time the other side may take to start, milliseconds. A login through a jump host is slow. */
const startTimeoutMs = 40_000;
/** Clock skew below which the other side's clock counts as correct, milliseconds. */
const ignoredClockSkewMs = 2_000;
/** Longest time a program may take to exit after closing its output, milliseconds. */
const exitTimeoutMs = 2_000;
const seenPollMs = 500;
const maxStderrBytes = 2_048;

/**
 * Connects to a machine and stores the envelopes it sends, until the connection ends or the signal aborts.
 * @returns the reason the connection ended
 */
export async function connectOverPipes(
  source: MachineSource,
  inbox: Inbox,
  onChange: OnChange,
  signal: AbortSignal,
): Promise<string> {
  const { file, args, script } = startServing(source.via);
  const child = spawn(file, args, { stdio: "pipe", windowsHide: true });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`${basename(file)} could not be started (${readErrno(error)})`));
    child.once("close", (code, by) => resolve(describeExit(file, code, by, stderr())));
  });
  const stderr = collectEnd(child.stderr, maxStderrBytes);
  child.stdin.on("error", () => {}); // the program has exited; its "close" event reports that
  if (script !== undefined) child.stdin.write(script);
  const connection = new Connection(child, source, inbox, onChange);
  const stop = (): void => void child.kill();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const problem = await connection.run();
    child.kill();
    return problem ?? (await Promise.race([ended, inbox.clock.wait(exitTimeoutMs).then(() => "it has hung up")]));
  } finally {
    child.kill("SIGKILL"); // in case the program ignores SIGTERM
    // Other processes may keep the pipes open.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    signal.removeEventListener("abort", stop);
    connection.end();
  }
}

/** One connection to `relay serve`, from the handshake until the connection ends. */
class Connection {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #source: MachineSource;
  readonly #inbox: Inbox;
  readonly #onChange: OnChange;
  readonly #seen = new Set<string>();
  readonly #timers: Timer[] = [];
  #intake: Intake | undefined;
  #sender: Sender | undefined;
  #receivedAtMs: number;
  readonly #alerts: ChangedAlerts;
  #problem: string | undefined;

  constructor(child: ChildProcessWithoutNullStreams, source: MachineSource, inbox: Inbox, onChange: OnChange) {
    this.#child = child;
    this.#source = source;
    this.#inbox = inbox;
    this.#onChange = onChange;
    this.#receivedAtMs = inbox.clock.uptimeMs();
    this.#alerts = new ChangedAlerts(alertFolder(inbox.paths));
  }

  /** Handles the other side's lines. Returns the reason for giving up, or undefined if the other side hangs up. */
  async run(): Promise<string | undefined> {
    this.#every(1_000, () => {
      const timeoutMs = this.#intake ? silenceTimeoutMs : startTimeoutMs;
      if (this.#inbox.clock.uptimeMs() - this.#receivedAtMs > timeoutMs) this.#giveUp("it does not answer");
    });
    try {
      for await (const line of readLines(this.#child.stdout)) {
        this.#receivedAtMs = this.#inbox.clock.uptimeMs();
        const message = readLine(line, serveMessageSchema);
        if (message) await this.#handle(message); // other lines are output of the login shell
      }
    } catch (error) {
      this.#problem ??= error instanceof Error ? error.message : "it cannot be read";
    }
    return this.#problem;
  }

  end(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#intake?.end();
  }

  async #handle(message: ServeMessage): Promise<void> {
    if ("beckon" in message) await this.#handshake(message);
    else if ("envelope" in message && this.#intake && this.#sender) {
      if (!this.#intake.add({ sent: message.envelope, sender: this.#sender }))
        this.#giveUp("it sends more than it was asked for");
    }
  }

  async #handshake({ beckon, version, nowMs }: Extract<ServeMessage, { beckon: number }>): Promise<void> {
    if (this.#intake) return;
    if (beckon !== protocolVersion) {
      this.#giveUp(`its beckon ${cleanLine(version)} speaks another language; upgrade the older one of the two`);
      return;
    }
    const clockSkewMs = nowMs - this.#inbox.clock.now();
    const aheadMs = Math.abs(clockSkewMs) < ignoredClockSkewMs ? 0 : clockSkewMs;
    this.#sender = { host: this.#source.host, aheadMs };
    this.#intake = new Intake(this.#inbox, 3 * window, {
      acknowledge: (ids) => this.#acknowledge(ids),
      refuse: () => {
        this.#intake?.end();
        this.#giveUp("it sends too much that cannot be read");
      },
    });
    this.#onChange({ state: "connected", version: cleanLine(version) });
    await send(this.#child.stdin, { beckon: protocolVersion, version: packageFile.version, window });
    this.#every(pingEveryMs, () => void send(this.#child.stdin, { ping: 1 }));
    this.#every(seenPollMs, () => this.#sendSeen());
  }

  async #acknowledge(ids: readonly string[]): Promise<void> {
    await wake(this.#inbox.paths);
    await send(this.#child.stdin, { ack: [...ids] });
    this.#onChange({ lastEventAtMs: this.#inbox.clock.now() });
  }

  /** Tells the host which of its events the user has seen here. Repeats this after reconnecting, which is harmless. */
  #sendSeen(): void {
    const hostAlerts = this.#alerts.read().filter(({ isRelayed, host }) => isRelayed && host === this.#source.host);
    const seen = hostAlerts
      .flatMap(({ concerns }) => concerns)
      .filter((concern) => isResolvedByUser(concern) && !this.#seen.has(concern.id))
      .map(({ id }) => id);
    for (const id of seen) this.#seen.add(id);
    if (seen.length > 0) void send(this.#child.stdin, { seen });
  }

  #giveUp(problem: string): void {
    this.#problem ??= problem;
    this.#child.stdout.destroy();
  }

  #every(ms: number, act: () => void): void {
    this.#timers.push(this.#inbox.clock.every(ms, act).ref());
  }
}

/** Describes why a program ended: by the last line of its error output, or else by its exit code or signal. */
function describeExit(file: string, code: number | null, signal: NodeJS.Signals | null, stderr: string): string {
  const last = cleanLine(stderr.trim().split("\n").at(-1) ?? "");
  if (last !== "") return cut(last, 200, "graphemes");
  const name = basename(file);
  return code === 0 ? `${name} has hung up` : `${name} ended with ${signal ?? `code ${code}`}`;
}

/** Options for SSH: never prompt, and end when the other side is gone. */
const sshOptions: readonly (readonly [name: string, value: string])[] = [
  ["BatchMode", "yes"],
  ["ConnectTimeout", "15"],
  ["ServerAliveInterval", "5"],
  ["ServerAliveCountMax", "3"],
];

/** Last words of a command that starts `relay serve` without a shell. */
const serveWords = ["relay", "serve", "--stdio"];

/** Command that starts the other side. If the command starts a shell, `script` is the shell's input. */
interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly script?: string;
}

/**
 * Builds the command that starts `beckon relay serve --stdio` on another machine. `via` is a command that connects to
 * that machine: `ssh devbox`, `docker exec -i box`, `kubectl exec -i pod --`. Normally the built command starts a shell
 * there, which reads one line of script. If `via` ends in `beckon`, the words `relay serve --stdio` are appended
 * instead. A `via` that ends in these words is used unchanged.
 * @param via program and arguments, never a shell string
 */
export function startServing(via: readonly string[]): Start {
  if (via.slice(-serveWords.length).join(" ") === serveWords.join(" ")) return buildCommand(via);
  if (["beckon", "cli.js"].includes(basename(via.at(-1) ?? ""))) return buildCommand([...via, ...serveWords]);
  return startShell(via, runBeckon(serveWords));
}

/** Builds a command that runs a shell script on another machine. */
export function startShell(via: readonly string[], script: string): Start {
  return { ...buildCommand([...via, "sh"]), script };
}

/**
 * Builds a shell line that runs the installed beckon with its recorded Node, or else `beckon` on PATH. Over SSH, PATH
 * is unpredictable.
 */
export function runBeckon(words: readonly string[]): string {
  return [
    'b="${BECKON_HOME:-$HOME/.beckon}"',
    `[ -r "$b/app/node" ] && exec "$(cat "$b/app/node")" "$b/app/dist/cli.js" ${words.join(" ")}`,
    `exec beckon ${words.join(" ")}\n`,
  ].join("; ");
}

function buildCommand([file = "", ...args]: readonly string[]): Start {
  if (!["ssh", "ssh.exe"].includes(basename(file))) return { file, args };
  const givenOptions = args.join(" ").toLowerCase();
  const options = sshOptions.filter(([name]) => !givenOptions.includes(name.toLowerCase()));
  return { file, args: ["-T", ...options.flatMap(([name, value]) => ["-o", `${name}=${value}`]), ...args] };
}
