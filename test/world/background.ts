import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

/** Background programs of a test that are stopped together. */
export interface Background {
  start(file: string, args: readonly string[], options: { env: NodeJS.ProcessEnv; stdio?: StdioOptions }): ChildProcess;
  /** Ends all programs, the last started first, by `signal` or else SIGTERM, and waits until they are gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts programs so that the kernel ends them if this process dies in any way. */
export function background(): Background {
  const children: ChildProcess[] = [];
  return {
    start(file, args, { env, stdio = "ignore" }) {
      const child = spawn("setpriv", ["--pdeathsig", "KILL", "--", file, ...args], { env, stdio });
      children.push(child);
      return child;
    },
    async stop(signal = "SIGTERM") {
      for (const child of children.splice(0).reverse()) await end(child, signal);
    },
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  const kill = setTimeout(() => child.kill("SIGKILL"), 2000);
  await ended;
  clearTimeout(kill);
}

/** Waits until `check` gives a value, and returns it; throws after 10 s. */
export async function eventually<Value>(what: string, check: () => Promise<Value | undefined>): Promise<Value> {
  for (let tries = 0; tries < 100; tries += 1) {
    const value = await check();
    if (value !== undefined) return value;
    await delay(100);
  }
  throw new Error(`${what} did not come`);
}

/** Runs tasks, this many at the same time. */
export async function inParallel(tasks: (() => Promise<void>)[], count: number): Promise<void> {
  const work = async () => {
    for (let task = tasks.shift(); task; task = tasks.shift()) await task();
  };
  await Promise.all(Array.from({ length: count }, work));
}
