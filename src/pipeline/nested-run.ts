import { basename } from "node:path";
import { agents } from "../agents/registry.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts } from "../core/facts.ts";
import { findProcess } from "../files/process-table.ts";
import { readQuietly } from "../files/read-file.ts";

/** Reason to skip events of a run that another agent started, such as `claude -p` in a hook. */
export const nestedRunReason = "a run inside another agent's run";

/** Interpreters whose first argument is the program. */
const interpreters = new Set(["node", "bun", "MainThread"]);

/** Arguments of most headless runs. Droid's terminal program also runs its turns by `droid exec`. */
const headlessArguments = new Set(["-p", "--print", "--prompt", "exec"]);

/** Agent among a hook's callers, with its arguments if it still runs. */
interface AgentProcess {
  readonly pid: number;
  readonly agent: string;
  readonly isHeadless: boolean;
  readonly isAlive: boolean;
}

/**
 * True for an event of a headless run below an agent that still runs. Callers are known only on Linux. Variables such
 * as `CLAUDECODE` prove nothing: every process that the agent ever started inherits them.
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
 * Finds the index after an agent's run in the chain of callers. The run's own processes start each other directly. A
 * process with a headless argument whose parent has none is a separate run that the parent started.
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

/** Identifies a caller as an agent by its name or, while it runs, by its command line. */
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

/** Matches an agent's script with or without its extension, as in `codex.js`. */
function matchesProgram(file: string): (name: string) => boolean {
  return (name) => name === file || name.replace(/\.[cm]?js$/, "") === file;
}

const ticksPerSecond = 100;

/** True if a process started before a time, and so is the caller, not a later process with its number. proc(5) */
function hasStartedBefore(startTicks = "", atMs: number): boolean {
  const uptimeSeconds = Number.parseFloat(readQuietly("/proc/uptime") ?? "");
  const startedAtMs = Date.now() - (uptimeSeconds - Number(startTicks) / ticksPerSecond) * 1000;
  return startedAtMs <= atMs + 1_000;
}
