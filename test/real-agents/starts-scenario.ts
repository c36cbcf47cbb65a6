import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, renameSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { home, project } from "./agents/agent.ts";
import { ownFiles } from "./damage.ts";
import { modelLog, type Session } from "./session.ts";

/** Pairs of starts that are compared. */
const pairs = 10;
/** Turns with hooks: one for each pair, and a first one that fills the agent's caches. */
export const startedTurns = pairs + 1;
/** Largest ratio of the medians with hooks and without. */
const maxRatio = 1.1;
const pollMs = 10;

type Hooks = "with" | "without";

/**
 * Starts the agent without a terminal, with its hooks and without them in turns, and measures the time until it asks the
 * model. Its plugins are loaded by then. The ratio of the medians becomes a remark; a large one is a trouble.
 */
export async function compareStarts(session: Session): Promise<void> {
  const tookMs: Record<Hooks, number[]> = { with: [], without: [] };
  for (let turn = 0; turn < startedTurns; turn += 1) {
    const order = turn % 2 === 0 ? (["with", "without"] as const) : (["without", "with"] as const);
    for (const hooks of order) tookMs[hooks].push(await startOnce(session, hooks));
    writeFileSync("/home/out/starts.json", JSON.stringify(tookMs));
  }
  const [withMs, withoutMs] = [median(tookMs.with.slice(1)), median(tookMs.without.slice(1))];
  const ratio = withMs / withoutMs;
  session.remarks.push(`${withMs} ms with hooks, ${withoutMs} ms without: ratio ${ratio.toFixed(3)}`);
  if (ratio > maxRatio) session.troubles.push(`with hooks, its start takes ${ratio.toFixed(2)} times as long`);
}

async function startOnce(session: Session, hooks: Hooks): Promise<number> {
  if (hooks === "with") session.said += 1;
  const files = hooks === "without" ? ownFiles(session.agent) : [];
  for (const file of files) renameSync(file, hide(file));
  const tookMs = await measureStart(session);
  for (const file of files) renameSync(hide(file), file);
  return tookMs;
}

/** The name of a file where the agent does not look for it. */
function hide(file: string): string {
  return `${home}/hidden${file.replaceAll("/", "-")}`;
}

async function measureStart({ agent }: Session): Promise<number> {
  const [program = "", ...args] = agent.headless("PLAY-PLAIN please");
  const requestBytes = () => (existsSync(modelLog) ? statSync(modelLog).size : 0);
  const bytesBefore = requestBytes();
  const startedAtMs = performance.now();
  const child = spawn(program, args, { cwd: project, env: { ...process.env, ...agent.env }, stdio: "ignore" });
  const ended = once(child, "close");
  while (requestBytes() === bytesBefore) {
    if (performance.now() - startedAtMs > agent.maxPauseSeconds * 1000) throw new Error("The agent did not start.");
    await sleep(pollMs);
  }
  const tookMs = Math.round(performance.now() - startedAtMs);
  await ended;
  return tookMs;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
