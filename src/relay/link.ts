import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { basename } from "node:path";
import packageFile from "../../package.json" with { type: "json" };
import { isEndedByPerson } from "../attention/alert.ts";
import { alertFolder, ChangedAlerts } from "../attention/alert-files.ts";
import type { MachineSource } from "../config/relay-table.ts";
import { errnoOf } from "../core/errors.ts";
import type { Timer } from "../core/ports.ts";
import { collectEnd } from "../files/collect-end.ts";
import { wake } from "../spool/wake.ts";
import { cleanLine } from "../text/clean.ts";
import { cut } from "../text/cut.ts";
import { Intake } from "./intake.ts";
import type { OnChange } from "./keep-up.ts";
import {
  linesOf,
  pingEveryMs,
  protocolVersion,
  readLine,
  type Served,
  say,
  servedSchema,
  silentMs,
} from "./protocol.ts";
import type { Inbox, Sender } from "./receive.ts";
import { startServing } from "./via.ts";

/** Most unacknowledged envelopes of each urgency. */
const window = 64;
/** Longest the other side may take to start, 40 s: a login through another machine is slow. */
const startMs = 40_000;
/** Clock skew below this is ignored, milliseconds. */
const sameClockMs = 2_000;
/** Longest a program may take to exit after closing its output, milliseconds. */
const endMs = 2_000;
const lookMs = 500;
const maxSaidBytes = 2_048;

/**
 * Runs one connection to a machine and takes in its envelopes, until it ends or the signal aborts.
 * @returns the reason it ended
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
    child.once("error", (error) => resolve(`${basename(file)} could not be started (${errnoOf(error)})`));
    child.once("close", (code, by) => resolve(endText(file, code, by, said())));
  });
  const said = collectEnd(child.stderr, maxSaidBytes);
  child.stdin.on("error", () => {}); // it has exited, which "close" reports
  if (script !== undefined) child.stdin.write(script);
  const connection = new Connection(child, source, inbox, onChange);
  const stop = (): void => void child.kill();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const problem = await connection.hold();
    child.kill();
    return problem ?? (await Promise.race([ended, inbox.clock.wait(endMs).then(() => "it has hung up")]));
  } finally {
    child.kill("SIGKILL"); // it did not exit on its own
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy(); // other processes may hold them open
    signal.removeEventListener("abort", stop);
    connection.end();
  }
}

/** One connection, from the other side's handshake to its end. */
class Connection {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #source: MachineSource;
  readonly #inbox: Inbox;
  readonly #onChange: OnChange;
  readonly #seen = new Set<string>();
  readonly #timers: Timer[] = [];
  #intake: Intake | undefined;
  #sender: Sender | undefined;
  #heardAtMs: number;
  readonly #alerts: ChangedAlerts;
  #problem: string | undefined;

  constructor(child: ChildProcessWithoutNullStreams, source: MachineSource, inbox: Inbox, onChange: OnChange) {
    this.#child = child;
    this.#source = source;
    this.#inbox = inbox;
    this.#onChange = onChange;
    this.#heardAtMs = inbox.clock.uptimeMs();
    this.#alerts = new ChangedAlerts(alertFolder(inbox.paths));
  }

  /** Handles the other side's lines. Resolves when it hangs up, or to the reason for giving up. */
  async hold(): Promise<string | undefined> {
    this.#every(1_000, () => {
      const patienceMs = this.#intake ? silentMs : startMs;
      if (this.#inbox.clock.uptimeMs() - this.#heardAtMs > patienceMs) this.#giveUp("it does not answer");
    });
    try {
      for await (const line of linesOf(this.#child.stdout)) {
        this.#heardAtMs = this.#inbox.clock.uptimeMs();
        const served = readLine(line, servedSchema);
        if (served) await this.#hear(served); // anything else is the login's output
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

  async #hear(served: Served): Promise<void> {
    if ("beckon" in served) await this.#greet(served);
    else if ("envelope" in served && this.#intake && this.#sender) {
      if (!this.#intake.add({ sent: served.envelope, sender: this.#sender }))
        this.#giveUp("it sends more than it was asked for");
    }
  }

  async #greet({ beckon, version, nowMs }: Extract<Served, { beckon: number }>): Promise<void> {
    if (this.#intake) return;
    if (beckon !== protocolVersion) {
      this.#giveUp(`its beckon ${cleanLine(version)} speaks another language; upgrade the older one of the two`);
      return;
    }
    const apartMs = nowMs - this.#inbox.clock.now();
    const aheadMs = Math.abs(apartMs) < sameClockMs ? 0 : apartMs;
    this.#sender = { host: this.#source.host, aheadMs };
    this.#intake = new Intake(this.#inbox, 3 * window, {
      acknowledge: (ids) => this.#acknowledge(ids),
      refuse: () => {
        this.#intake?.end();
        this.#giveUp("it sends too much that cannot be read");
      },
    });
    this.#onChange({ state: "connected", version: cleanLine(version) });
    await say(this.#child.stdin, { beckon: protocolVersion, version: packageFile.version, window });
    this.#every(pingEveryMs, () => void say(this.#child.stdin, { ping: 1 }));
    this.#every(lookMs, () => this.#tellSeen());
  }

  async #acknowledge(ids: readonly string[]): Promise<void> {
    await wake(this.#inbox.paths);
    await say(this.#child.stdin, { ack: [...ids] });
    this.#onChange({ lastEventAtMs: this.#inbox.clock.now() });
  }

  /** Reports that host's alerts seen here; repeated after reconnecting, which is harmless. */
  #tellSeen(): void {
    const own = this.#alerts.read().filter(({ isRelayed, host }) => isRelayed && host === this.#source.host);
    const seen = own
      .flatMap(({ concerns }) => concerns)
      .filter((concern) => isEndedByPerson(concern) && !this.#seen.has(concern.id))
      .map(({ id }) => id);
    for (const id of seen) this.#seen.add(id);
    if (seen.length > 0) void say(this.#child.stdin, { seen });
  }

  #giveUp(problem: string): void {
    this.#problem ??= problem;
    this.#child.stdout.destroy();
  }

  #every(ms: number, act: () => void): void {
    this.#timers.push(this.#inbox.clock.every(ms, act).ref());
  }
}

/** Describes for people why a program ended, with its last line of output. */
function endText(file: string, code: number | null, signal: NodeJS.Signals | null, said: string): string {
  const last = cleanLine(said.trim().split("\n").at(-1) ?? "");
  if (last !== "") return cut(last, 200, "graphemes");
  const name = basename(file);
  return code === 0 ? `${name} has hung up` : `${name} ended with ${signal ?? `code ${code}`}`;
}
