import { lstatSync } from "node:fs";
import { connect } from "node:net";
import type { ExecPort, Presence } from "../../core/ports.ts";
import { quietly } from "../../core/quietly.ts";
import { checkedEnvironment, type TerminalEnvironment, terminalVariables } from "../../core/terminal-environment.ts";
import { findProcess, type RunningProcess } from "../../files/process-table.ts";
import { listQuietly, readQuietly } from "../../files/read-file.ts";
import type { BusValue } from "../bus-message.ts";
import { findLastTerminal, findTerminal, readEnvironment } from "../process-terminal.ts";
import type { BusCall } from "../session-bus.ts";

/** Arguments of every presence source. */
export interface Question {
  /** The agent's terminal, if it has one. */
  readonly seat?: Seat;
  /** Desktop variables from the agent's environment, or else from the worker's. */
  readonly env: TerminalEnvironment;
  /** The user's home folder. */
  readonly home: string;
  /** Signal that aborts when it is too late for answers. */
  readonly signal: AbortSignal;
  /**
   * Runs a program by its bare name and returns its output; undefined if the program is missing or fails.
   * @param env additional variables
   */
  run(name: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string | undefined>;
  /** Calls a method on one of the buses. Never starts a service. Rejects if the bus or the service is missing. */
  call(bus: "session" | "system", call: BusCall): Promise<readonly BusValue[]>;
}

/** Terminal to focus, with the environment of the program that runs in it, and a function that runs other programs. */
export type Place = Pick<Question, "seat" | "env" | "run" | "signal">;

/** Source of facts about the user's presence. A rejection counts as no answer. */
export type Source = (question: Question) => Promise<Presence>;

/** Window with the keyboard focus. */
export interface ActiveWindow {
  /** Process that created the window. */
  readonly pid: number;
  /** Process ids of all known windows, including this one. A process with several windows appears several times. */
  readonly windowPids: readonly number[];
  /** X11 window id in decimal, as in WINDOWID. */
  readonly x11Id?: string;
}

/** Terminal in which a program of this user runs, with the process that holds the terminal. */
export interface Seat {
  /** Process id of the program. */
  readonly pid: number;
  /** Path of the pseudo-terminal. */
  readonly device: string;
  /**
   * Process at the other end of the pseudo-terminal: a terminal emulator, a multiplexer or sshd. It may itself have
   * been started from another terminal.
   */
  readonly holder?: RunningProcess;
  /** Environment of the program. */
  readonly env: TerminalEnvironment;
}

/** Returns the terminal of the last of these processes that has a terminal of this user. Linux only. */
export function findSeat(processes: readonly number[]): Seat | undefined {
  const found = findLastTerminal(processes);
  const program = found && findProcess(found.pid);
  if (!found || !program) return undefined;
  const holder = findHolder(program);
  const env = checkedEnvironment(readEnvironment(found.pid, terminalVariables), terminalVariables);
  return { ...found, env, ...(holder && { holder }) };
}

/** Finds a program's nearest ancestor that runs outside the program's terminal. */
function findHolder({ parentPid, terminalDevice }: RunningProcess): RunningProcess | undefined {
  const parent = parentPid === undefined || parentPid <= 1 ? undefined : findProcess(parentPid);
  return parent?.terminalDevice === terminalDevice && parent ? findHolder(parent) : parent;
}

/**
 * Lists the other terminals of the process that holds this terminal. They may be tabs or panes in the same window.
 * Returns the WINDOWID of the program in each terminal, or undefined for an unknown one. Returns undefined if the
 * terminals cannot be listed.
 */
export function listNeighbors({ device, holder }: Seat): readonly (string | undefined)[] | undefined {
  const children = holder && listChildren(holder.pid).flatMap((pid) => findProcess(pid) ?? []);
  const held = children?.filter(
    ({ terminalDevice }) => terminalDevice !== 0 && terminalDevice !== holder?.terminalDevice,
  );
  // Not every kernel lists child processes. A list without this terminal's own process is invalid.
  if (!held?.some(({ pid }) => findTerminal(pid) === device)) return undefined;
  return held
    .filter(({ pid }) => findTerminal(pid) !== device)
    .map(({ pid }) => readEnvironment(pid, ["WINDOWID"]).WINDOWID);
}

function listChildren(pid: number): number[] {
  const threads = listQuietly(`/proc/${pid}/task`);
  const lists = threads.map((thread) => readQuietly(`/proc/${pid}/task/${thread}/children`) ?? "");
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

/** Creates a function that runs programs that beckon itself chooses by name, each within the time limit. */
export function createRunner(exec: ExecPort, timeoutMs: number, signal: AbortSignal): Question["run"] {
  return async (name, args, env = {}) => {
    const file = exec.driver(name);
    if (file === undefined) return undefined;
    const { exitCode, stdout } = await exec.run({ file, args, env, timeoutMs, signal });
    return exitCode === 0 ? stdout : undefined;
  };
}

/**
 * Checks that a path is a socket of this user and not a symbolic link.
 * @param others user ids of other accepted owners
 */
export function isOwnSocket(file: string, others: readonly number[] = []): boolean {
  const found = quietly(() => lstatSync(file));
  return found?.isSocket() === true && [process.getuid?.(), ...others].includes(found.uid);
}

const maxReplyBytes = 4 * 1024 * 1024;

/**
 * Sends a request to a Unix socket that the user owns. Resolves to the reply when the reply is complete or the other
 * side closes. Undefined on failure, on abort, or if the reply exceeds 4 MiB.
 */
export function askSocket(
  path: string,
  request: string | Buffer,
  isWhole: (reply: Buffer) => boolean,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  if (!isOwnSocket(path) || signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const socket = connect({ path, signal });
    let reply: Buffer = Buffer.alloc(0);
    const end = (result: Buffer | undefined): void => {
      socket.destroy();
      resolve(result);
    };
    socket.on("data", (chunk: Buffer) => {
      reply = Buffer.concat([reply, chunk]);
      if (reply.length > maxReplyBytes) end(undefined);
      else if (isWhole(reply)) end(reply);
    });
    socket.on("error", () => end(undefined)).on("close", () => end(reply.length > 0 ? reply : undefined));
    socket.write(request);
  });
}
