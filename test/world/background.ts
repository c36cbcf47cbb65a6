import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

type Streams = { readonly env: NodeJS.ProcessEnv; readonly stdio?: StdioOptions };

/** Background programs of a test that are stopped together. */
export type Background = ReturnType<typeof background>;

/** Starts programs so that the kernel ends them if this process dies in any way. */
export function background() {
  const children: ChildProcess[] = [];
  return {
    start(file: string, args: readonly string[], { env, stdio = "ignore" }: Streams): ChildProcess {
      const child = spawn("setpriv", ["--pdeathsig", "KILL", "--", file, ...args], { env, stdio });
      children.push(child);
      return child;
    },
    /** Ends all programs, the last started first, and waits until they are gone. */
    async stop(signal: NodeJS.Signals = "SIGTERM") {
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
