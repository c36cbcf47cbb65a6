import { basename } from "node:path";
import { agents } from "../agents/registry.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts } from "../core/facts.ts";
import { findProcess } from "../files/process-table.ts";
import { readQuietly } from "../files/read-file.ts";

/** Reason to skip events of a run that another agent started, such as `claude -p` in a hook. */
export const nestedRunReason = "a run inside another agent's run";

/** Interpreters whose first argument is the path of the program that they run. */
const interpreters = new Set(["node", "bun", "MainThread"]);

/** Arguments that mark most headless runs. Droid's terminal program also starts its turns with `droid exec`. */
const headlessArguments = new Set(["-p", "--print", "--prompt", "exec"]);

/** Agent's process among the processes that called a hook, with details if it is still running. */
interface AgentProcess {
  readonly pid: number;
  readonly agent: string;
  readonly isHeadless: boolean;
  readonly isAlive: boolean;
}

/**
 * True for an event of a headless run that another agent, which is still running, has started. Works only on Linux,
 * where the callers of a hook are known. Variables such as `CLAUDECODE` prove nothing, because every process that an
 * agent ever started inherits them.
 */
export function isInsideRunningAgent(event: AgentEvent, { work }: FoundFacts): boolean {
  const chain = (event.callers ?? []).map(([pid, name]) => findAgent(pid, name, event.atMs));
  const start = chain.findIndex((caller) => caller?.agent === event.agent);
  if (start < 0) return false;
  const ownRun = chain.slice(start, findRunEnd(chain, start)).filter((caller) => caller !== undefined);
  const outer = chain.slice(start + ownRun.length).find((caller) => caller !== undefined);
  if (!outer?.isAlive) return false;
  return work?.isHeadless === true || !ownRun.some(hasTerminal);
}

/**
 * Finds the index after the last process of an agent's run in the chain of callers. The processes of a run have started
 * each other directly. If a process has a headless argument and its parent has none, the parent belongs to another run.
 */
function findRunEnd(chain: readonly (AgentProcess | undefined)[], start: number): number {
  let end = start + 1;
  const isSameRun = (inner: AgentProcess | undefined, outer: AgentProcess | undefined) =>
    inner !== undefined && outer?.agent === inner.agent && (outer.isHeadless || !inner.isHeadless);
  while (isSameRun(chain[end - 1], chain[end])) end += 1;
  return end;
}

function hasTerminal({ pid, isAlive }: AgentProcess): boolean {
  return isAlive && (findProcess(pid)?.terminalDevice ?? 0) !== 0;
}

/**
 * Returns the agent that a caller is, recognized by its name or, while it is running, by its command line; undefined
 * for any other program.
 */
function findAgent(pid: number, name: string, atMs: number): AgentProcess | undefined {
  const running = findProcess(pid);
  const isAlive = running !== undefined && running.name === name && hasStartedBefore(running.startTicks, atMs);
  const [program = "", ...args] = isAlive ? (readQuietly(`/proc/${pid}/cmdline`) ?? "").split("\0") : [];
  const isInterpreter = interpreters.has(name) || interpreters.has(basename(program));
  const names = isInterpreter ? [basename(args[0] ?? "")] : [name, basename(program)];
  const agent = agents.find(({ settings }) =>
    settings?.program?.files.some((file) => names.some(matchesProgram(file))),
  );
  const isHeadless = args.some((argument) => headlessArguments.has(argument));
  return agent && { pid, agent: agent.name, isHeadless, isAlive };
}

/** Returns a function that recognizes an agent's program by its file name, such as `codex` or `codex.js`. */
function matchesProgram(file: string): (name: string) => boolean {
  return (name) => name === file || name.replace(/\.[cm]?js$/, "") === file;
}

const ticksPerSecond = 100;

/** True if a process started before this time. A later process only reuses the caller's process id. proc(5) */
function hasStartedBefore(startTicks = "", atMs: number): boolean {
  const uptimeSeconds = Number.parseFloat(readQuietly("/proc/uptime") ?? "");
  const startedAtMs = Date.now() - (uptimeSeconds - Number(startTicks) / ticksPerSecond) * 1000;
  return startedAtMs <= atMs + 1_000;
}
