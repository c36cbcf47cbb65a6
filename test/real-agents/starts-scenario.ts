import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, renameSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { project } from "./agents/agent.ts";
import { ownFiles } from "./damage.ts";
import { modelLog, type Session } from "./session.ts";
import { Terminal } from "./terminal.ts";

/** Pairs of starts that are compared. */
const pairs = 10;
/** Turns with hooks: one for each pair, and a first one that fills the agent's caches. */
export const startedTurns = pairs + 1;
/** Largest ratio of the medians with hooks and without. */
const maxRatio = 1.1;
const pollMs = 10;

type Hooks = "with" | "without";

/** Times of one start, milliseconds. */
interface Start {
  /** In a terminal, until it shows its prompt. */
  readonly readyMs: number;
  /** Without a terminal, until it asks the model, for which its plugins must be loaded. */
  readonly askedMs: number;
}

/**
 * Starts the agent with its hooks and without them, in turns. The ratios of the times become remarks; large ones are
 * troubles.
 */
export async function compareStarts(session: Session): Promise<void> {
  const starts: Record<Hooks, Start[]> = { with: [], without: [] };
  for (let turn = 0; turn < startedTurns; turn += 1) {
    const order = turn % 2 === 0 ? (["with", "without"] as const) : (["without", "with"] as const);
    for (const hooks of order) starts[hooks].push(await startOnce(session, hooks));
  }
  writeFileSync("/home/out/starts.json", JSON.stringify(starts, null, 1));
  for (const what of ["readyMs", "askedMs"] as const) {
    const medianMs = (list: readonly Start[]) => median(list.slice(1).map((start) => start[what]));
    const [withMs, withoutMs] = [medianMs(starts.with), medianMs(starts.without)];
    const ratio = withMs / withoutMs;
    session.remarks.push(`${what}: ${withMs} with hooks, ${withoutMs} without, ratio ${ratio.toFixed(3)}`);
    if (ratio > maxRatio) session.troubles.push(`with hooks, ${what} is ${ratio.toFixed(2)} times as long`);
  }
}

async function startOnce(session: Session, hooks: Hooks): Promise<Start> {
  if (hooks === "with") session.said += 1;
  const files = hooks === "without" ? ownFiles(session.agent) : [];
  for (const file of files) renameSync(file, hide(file));
  const start = { readyMs: await measureReady(session), askedMs: await measureAsked(session) };
  for (const file of files) renameSync(hide(file), file);
  return start;
}

/** The name of a file that the agent does not look for. */
function hide(file: string): string {
  return `/tmp/${file.replaceAll("/", "_")}`;
}

async function measureReady({ agent }: Session): Promise<number> {
  const startedAtMs = performance.now();
  const terminal = new Terminal(agent.interactive, project, agent.env, "/dev/null");
  await waitFor(() => agent.ready.test(terminal.screen()), agent.maxPauseSeconds);
  const tookMs = Math.round(performance.now() - startedAtMs);
  terminal.close();
  await waitFor(() => !existsSync(`/proc/${terminal.pid}`), agent.maxPauseSeconds);
  return tookMs;
}

async function measureAsked({ agent }: Session): Promise<number> {
  const [program = "", ...args] = agent.headless("PLAY-PLAIN please");
  const requests = () => (existsSync(modelLog) ? statSync(modelLog).size : 0);
  const before = requests();
  const startedAtMs = performance.now();
  const child = spawn(program, args, { cwd: project, env: { ...process.env, ...agent.env }, stdio: "ignore" });
  const ended = once(child, "close");
  await waitFor(() => requests() > before, agent.maxPauseSeconds);
  const tookMs = Math.round(performance.now() - startedAtMs);
  await ended;
  return tookMs;
}

async function waitFor(isSo: () => boolean, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!isSo()) {
    if (performance.now() > end) throw new Error("The agent did not start.");
    await sleep(pollMs);
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
