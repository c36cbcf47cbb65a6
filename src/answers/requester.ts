import { lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { agents } from "../agents/registry.ts";
import { quietly } from "../core/quietly.ts";
import { findProcess, hasProc } from "../files/process-table.ts";
import { readQuietly } from "../files/read-file.ts";

/** Process of an agent or a hook. The start time, if known, tells it from a later process with the same id. */
export interface AgentProcess {
  readonly pid: number;
  readonly startTicks?: string | undefined;
}

/** Maximum number of a process's ancestors to check. */
const maxAncestors = 64;

/**
 * Explains why a process may not answer for the user: an agent started it or may have started it, it uses an agent's
 * terminal, or that cannot be checked. Undefined if it may. A process that has detached itself completely from the agent
 * is not recognized.
 */
export function explainUntrusted(pid: number, agentProcesses: readonly AgentProcess[]): string | undefined {
  if (!hasProc()) return "this system does not show which program asks";
  if (hasAgentVariable(pid)) return "its environment has an agent's variable, or cannot be read";
  const running = agentProcesses.filter((agent) => isRunning(agent));
  const ancestors = listAncestors(pid);
  if (ancestors === undefined) return "its process has ended";
  if (running.some((agent) => ancestors.includes(agent.pid))) return "an agent has started it";
  if (!ancestors.includes(findProcess(pid)?.sessionPid ?? 0)) return "the program that started it has ended";
  const terminal = findProcess(pid)?.terminalDevice ?? 0;
  const isShared = terminal !== 0 && running.some((agent) => findProcess(agent.pid)?.terminalDevice === terminal);
  return isShared ? "it is at the agent's own terminal" : undefined;
}

/** True if a process has a controlling terminal. */
export function hasTerminal(pid: number): boolean {
  return (findProcess(pid)?.terminalDevice ?? 0) !== 0;
}

/** True if a process of this user has a file open. No process can make another process open a file. */
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

/** Lists a process and its ancestors; undefined if one of them has just ended. */
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

/** True if a process was started with an environment variable that agents set, or if its environment is unknown. */
function hasAgentVariable(pid: number): boolean {
  const names = agents.flatMap(({ permissionHook }) =>
    typeof permissionHook === "object" ? permissionHook.variables : [],
  );
  const environment = readQuietly(`/proc/${pid}/environ`);
  if (!environment) return true; // cannot be read, or is empty while the process starts another program
  return environment.split("\0").some((entry) => names.some((name) => entry.startsWith(`${name}=`)));
}
