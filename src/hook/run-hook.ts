import { existsSync, readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathsOf } from "../core/paths.ts";
import { neutralReplies } from "./neutral-replies.ts";
import type { EventName } from "../core/vocabulary.ts";
import { type Input, readInput } from "./read-input.ts";
import { newId, put } from "../spool/put.ts";
import { encodeRecord } from "../spool/record.ts";
import { untilSettled } from "../spool/wait.ts";
import { wake } from "../spool/wake.ts";

interface HookOptions {
  readonly agent?: string;
  readonly waitMs: number;
  /** The payload, where the agent passes it as the last argument. */
  readonly json?: string;
}

/**
 * What a compiled entrypoint runs: standard input → spool → wake the worker → exit 0. Silent but for the agent's neutral
 * reply; `BECKON_DISABLE=1` switches it off, `BECKON_DEBUG=1` lets it speak on stderr. Options: `--agent NAME`,
 * `--wait SECONDS`. Never throws, never exits with anything but 0.
 */
export function runHook(event: EventName): void {
  const options = parseOptions(process.argv.slice(2));
  const leave = (error?: unknown): never => exitQuietly(options, error);
  process.on("uncaughtException", leave);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => leave());
  const take = (input: Input) => handOver(event, options, input).then(() => leave(), leave);
  const isOff = process.env["BECKON_DISABLE"] === "1";
  if (options.json !== undefined) {
    if (isOff) leave();
    return void take({ payload: Buffer.from(options.json), end: 0 });
  }
  readInput((input) => {
    if (input === "terminal") return showUsage();
    if (isOff) return leave();
    void take(input);
  });
}

async function handOver(event: EventName, { agent, waitMs }: HookOptions, input: Input): Promise<void> {
  const paths = pathsOf();
  const cwd = workingDirectory();
  const id = newId();
  const header = { v: 1, event, ...(agent && { agent }), ...(cwd && { cwd }), processes: firingProcesses() } as const;
  put(paths.spool, id, encodeRecord(header, input.payload, input.end));
  await wake(paths.root, existsSync(paths.worker) ? paths.worker : workerOfThisBuild());
  if (waitMs > 0) await untilSettled(paths.spool, id, waitMs);
}

function parseOptions(args: readonly string[]): HookOptions {
  const after = (flag: string): string => args[args.indexOf(flag) + 1] ?? "";
  const agent = args.includes("--agent") ? /^[a-z0-9_-]+$/.exec(after("--agent"))?.[0] : undefined;
  const seconds = args.includes("--wait") ? Number(after("--wait")) : 0;
  const last = args.at(-1);
  return {
    ...(agent && { agent }),
    waitMs: seconds > 0 && Number.isFinite(seconds) ? seconds * 1000 : 0,
    ...(last?.startsWith("{") && { json: last }),
  };
}

/** Without an installation: the worker of the build, or of the clone, that this entrypoint belongs to. */
function workerOfThisBuild(): string {
  const folder = dirname(process.argv[1] ?? "");
  const built = join(folder, "..", "worker.js");
  return existsSync(built) ? built : join(folder, "..", "dist", "worker.js");
}

/** The parent, a shell mostly, and, on Linux, who started that: the agent. */
function firingProcesses(): number[] {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, "latin1");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 4).split(" ")[0]);
    return [process.ppid, parent].filter((pid) => pid > 1);
  } catch {
    return [process.ppid]; // no Linux
  }
}

function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined; // deleted under us; the payload names it too
  }
}

function showUsage(): never {
  writeQuietly(2, "usage: node HOOK.cjs [--agent NAME] [--wait SECONDS] < payload.json\n");
  process.exit(0);
}

function exitQuietly({ agent }: HookOptions, error?: unknown): never {
  if (error && process.env["BECKON_DEBUG"] === "1") writeQuietly(2, `beckon: ${String(error)}\n`);
  const reply = agent && neutralReplies[agent];
  if (reply) writeQuietly(1, reply);
  process.exit(0);
}

function writeQuietly(descriptor: 1 | 2, text: string): void {
  try {
    writeSync(descriptor, text);
  } catch {
    // the agent has closed its end; it still gets its exit code 0
  }
}
