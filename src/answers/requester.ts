import { lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { agentNamed, agents, findProgramOwner, interpreters } from "../agents/registry.ts";
import { type AgentEvent, ownAgent } from "../core/event.ts";
import type { Ports } from "../core/ports.ts";
import { quietly } from "../core/quietly.ts";
import { findProcess, hasProc, type RunningProcess, startTimeMs } from "../files/process-table.ts";
import { isOwn, readQuietly } from "../files/read-file.ts";

/** Process of an agent or a hook. The start time, if known, tells it from a later process with the same id. */
export interface AgentProcess {
  readonly pid: number;
  readonly startTicks?: string | undefined;
}

/** Lists the agents of sessions, as far as their processes are known. The user's own messages come from no agent. */
export function listAgents(
  sessions: readonly {
    readonly agent: string;
    readonly processes?: readonly number[] | undefined;
    readonly agentStartTicks?: string | undefined;
  }[],
): AgentProcess[] {
  return sessions.flatMap(({ agent, processes, agentStartTicks }) => {
    const pid = processes?.at(-1);
    return pid === undefined || agent === ownAgent || isAdopter(pid) ? [] : [{ pid, startTicks: agentStartTicks }];
  });
}

/**
 * True for the system's first process and a user's service manager, which adopt a hook whose agent has ended. In a
 * container, the first process may be the agent itself.
 */
function isAdopter(pid: number): boolean {
  const { name = "", parentPid } = findProcess(pid) ?? {};
  const mayBeAgent = interpreters.has(name) || findProgramOwner([name], "")?.agent !== undefined;
  return (pid === 1 && !mayBeAgent) || (parentPid === 1 && name === "systemd");
}

/** Maximum number of a process's ancestors to check. */
const maxAncestors = 64;

/**
 * Explains why a process may not answer for the user: an agent started it or may have started it, it uses an agent's
 * terminal, or that cannot be checked. Undefined if it may. A process that has detached itself completely from the agent
 * is not recognized.
 * @param askedAtMs time of the request, Unix milliseconds
 */
export function explainUntrusted(
  pid: number,
  agentProcesses: readonly AgentProcess[],
  askedAtMs = Number.POSITIVE_INFINITY,
): string | undefined {
  if (!hasProc()) return "this system does not show which program asks";
  if (hasAgentVariable(pid)) return "its environment has an agent's variable, or cannot be read";
  const running = agentProcesses.filter((agent) => isRunning(agent));
  const ancestors = listAncestors(pid);
  if (ancestors === undefined) return "its process has ended";
  if (running.some((agent) => ancestors.includes(agent.pid))) return "an agent has started it";
  const leader = findProcess(findProcess(pid)?.sessionPid ?? 0);
  if (!leader || !ancestors.includes(leader.pid)) return "the program that started it has ended";
  if (isDetached(leader) && startTimeMs(leader) >= askedAtMs) return "it detached itself after the request";
  const terminal = findProcess(pid)?.terminalDevice ?? 0;
  const isShared = terminal !== 0 && running.some((agent) => findProcess(agent.pid)?.terminalDevice === terminal);
  return isShared ? "it is at the agent's own terminal" : undefined;
}

/** True if a session has no terminal, and what started it has ended: the system's first process adopted it. */
function isDetached({ parentPid = 0, terminalDevice }: RunningProcess): boolean {
  const parent = findProcess(parentPid);
  const isManager = parent?.parentPid === 1 && parent.sessionPid === parent.pid && parent.terminalDevice === 0;
  return terminalDevice === 0 && (parentPid === 1 || (isManager && /^(?:systemd|init)/.test(parent.name ?? "")));
}

/** True if a process has a controlling terminal. */
export function hasTerminal(pid: number): boolean {
  return (findProcess(pid)?.terminalDevice ?? 0) !== 0;
}

/** True if a process of this user has a file open. No process can make another process open a file. */
export function hasOpen(pid: number, file: string): boolean {
  const wanted = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (!wanted?.isFile()) return false;
  return listDescriptors(pid).some(({ path, target }) => {
    const found = target.startsWith("/") ? quietly(() => statSync(path, { bigint: true })) : undefined;
    return found?.dev === wanted.dev && found.ino === wanted.ino;
  });
}

/** True if a process of this user listens on a TCP port, as the board does. */
export function isListening(pid: number): boolean {
  const rows = ["tcp", "tcp6"].flatMap((name) => readQuietly(`/proc/${pid}/net/${name}`)?.split("\n") ?? []);
  const listening = rows.map((row) => row.trim().split(/\s+/)).filter((fields) => fields[3] === "0A");
  const sockets = listening.map((fields) => `socket:[${fields[9]}]`);
  return listDescriptors(pid).some(({ target }) => sockets.includes(target));
}

/** Lists the open descriptors of a process of this user, with what they lead to. */
function listDescriptors(pid: number): { readonly path: string; readonly target: string }[] {
  const folder = `/proc/${pid}/fd`;
  const names = quietly(() => (isOwn(statSync(folder)) ? readdirSync(folder) : [])) ?? [];
  return names.map((name) => {
    const path = `${folder}/${name}`;
    return { path, target: quietly(() => readlinkSync(path)) ?? "" };
  });
}

/** True while a process is running. */
export function isRunning({ pid, startTicks }: AgentProcess): boolean {
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

type WatchPorts = Pick<Ports, "presence" | "clock">;

/** Interval at which the list of an agent's programs is renewed: one second. */
const listIntervalMs = 1_000;

/** Watch that `watchKeys` began. */
export type KeyWatch = ReturnType<typeof watchKeys>;

/** Watches for a key press in the terminal of the agent that made a request. */
export function watchKeys(event: AgentEvent, ports: WatchPorts) {
  let processes: readonly number[] = [];
  let listedAtMs = Number.NEGATIVE_INFINITY;
  /** Lists processes in the terminals to watch, from a list that is a second old at most. */
  const listProcesses = (): readonly number[] => {
    const nowMs = ports.clock.uptimeMs();
    if (nowMs - listedAtMs >= listIntervalMs) {
      processes = findInTerminals(event, ports);
      listedAtMs = nowMs;
    }
    return processes;
  };
  const findLastKey = (): number | undefined => {
    const times = listProcesses().flatMap((pid) => ports.presence.typedAtMs([pid]) ?? []);
    return times.length > 0 ? Math.max(...times) : undefined;
  };
  const startedWith = findLastKey() ?? 0;
  return {
    /** Tells if the terminal is known and a key press there is noticeable. */
    isPossible: () => listProcesses().length > 0,
    /** Tells if a key was pressed since the watch began. */
    isPressed: () => (findLastKey() ?? 0) > startedWith,
    /** Finds the time of the last key press, Unix milliseconds; undefined if none is known. */
    findLastKey,
  };
}

/**
 * Finds the agent's process in its terminal. If the hook runs in an agent's background process that serves several
 * terminals, finds every program of that agent in a terminal.
 */
function findInTerminals({ agent, processes = [], callers = [] }: AgentEvent, { presence }: WatchPorts) {
  const own = processes.filter((pid) => presence.noticesKeys([pid])).slice(-1);
  if (own.length > 0) return own;
  const names = agentNamed(agent)?.settings?.program?.files ?? [];
  const last = callers.findLastIndex(([, name]) => names.includes(name));
  const [above] = callers.slice(last + 1);
  const isAdopted = above === undefined || above[0] === 1 || above[1] === "systemd";
  const hasTerminal = callers.some(([pid, name]) => names.includes(name) && presence.noticesKeys([pid]));
  return last >= 0 && (isAdopted || hasTerminal) ? presence.findInTerminals(names) : [];
}
