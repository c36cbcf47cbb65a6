import { lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { agents } from "../agents/registry.ts";
import { quietly } from "../core/quietly.ts";
import { findProcess, hasProc } from "../files/process-table.ts";
import { readQuietly } from "../files/read-file.ts";

/** Process of an agent: its number, and its start time if known. */
export interface AgentProcess {
  readonly pid: number;
  readonly startTicks?: string | undefined;
}

/** Deepest chain of processes that is followed. */
const maxAncestors = 64;

/**
 * Explains why a process may not answer for the user: an agent has started it, or it is at an agent's terminal. Undefined
 * if it may. A program that detaches itself completely is not recognized.
 */
export function explainUntrusted(pid: number, agentProcesses: readonly AgentProcess[]): string | undefined {
  if (!hasProc()) return "this system does not show which program asks";
  if (hasAgentVariable(pid)) return "an agent has started it: its environment has an agent's variable";
  const running = agentProcesses.filter((agent) => isRunning(agent));
  const ancestors = listAncestors(pid);
  if (ancestors === undefined) return "its process has ended";
  if (running.some((agent) => ancestors.includes(agent.pid))) return "an agent has started it";
  const terminal = findProcess(pid)?.terminalDevice ?? 0;
  const isShared = terminal !== 0 && running.some((agent) => findProcess(agent.pid)?.terminalDevice === terminal);
  return isShared ? "it is at the agent's own terminal" : undefined;
}

/** True if a process has a controlling terminal. */
export function hasTerminal(pid: number): boolean {
  return (findProcess(pid)?.terminalDevice ?? 0) !== 0;
}

/** True if a process has a file open. A process cannot make another one open a file. */
export function hasOpen(pid: number, file: string): boolean {
  const wanted = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  const folder = `/proc/${pid}/fd`;
  const isOwn = quietly(() => process.getuid === undefined || statSync(folder).uid === process.getuid()) === true;
  if (!wanted?.isFile() || !isOwn) return false;
  const descriptors = quietly(() => readdirSync(folder)) ?? [];
  return descriptors.some((name) => {
    const path = `${folder}/${name}`;
    if (quietly(() => readlinkSync(path))?.startsWith("/") !== true) return false;
    const found = quietly(() => statSync(path, { bigint: true }));
    return found?.dev === wanted.dev && found.ino === wanted.ino;
  });
}

function isRunning({ pid, startTicks }: AgentProcess): boolean {
  const found = findProcess(pid);
  return found !== undefined && (startTicks === undefined || found.startTicks === startTicks);
}

/** Lists a process and its ancestors; undefined if the chain breaks, because a process ended meanwhile. */
function listAncestors(pid: number): readonly number[] | undefined {
  const chain: number[] = [];
  for (let current = pid; current > 0 && chain.length < maxAncestors; ) {
    const parent = findProcess(current)?.parentPid;
    if (parent === undefined) return undefined;
    chain.push(current);
    current = parent;
  }
  return chain;
}

/** True if the environment with which a process was started has a variable that agents give their programs. */
function hasAgentVariable(pid: number): boolean {
  const names = agents.flatMap(({ permissionHook }) =>
    typeof permissionHook === "object" ? permissionHook.variables : [],
  );
  const environment = readQuietly(`/proc/${pid}/environ`);
  if (environment === undefined) return true; // what cannot be read is not trusted
  return environment.split("\0").some((entry) => names.some((name) => entry.startsWith(`${name}=`)));
}
