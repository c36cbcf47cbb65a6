import { existsSync, writeSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { omitUndefined } from "../core/omit-undefined.ts";
import { readProjectFolders } from "../core/project-variables.ts";
import { recordedTerminal } from "../core/terminal-environment.ts";
import { pathsOf, workingDirectory } from "../files/paths.ts";
import { findProcess } from "../files/process-table.ts";
import { foreignRoot } from "../files/root-access.ts";
import { markLost, newId, put, waitUntilSettled } from "../spool/put.ts";
import { type Caller, encodeRecord, type RecordHeader } from "../spool/record.ts";
import { wake } from "../spool/wake.ts";
import { neutralReplies } from "./neutral-replies.ts";
import { type Input, readInput, readingMs } from "./read-input.ts";

interface HookOptions {
  readonly agent?: string;
  readonly waitMs: number;
  /** The payload, where the agent passes it as the last argument. */
  readonly json?: string;
}

/**
 * Runs a compiled entrypoint: standard input → spool → wake the worker → exit 0. Prints nothing but the agent's neutral
 * reply. `BECKON_DISABLE=1` switches it off, `BECKON_DEBUG=1` lets it report errors on stderr. Options: `--agent NAME`,
 * `--wait SECONDS`. Never throws and always exits with 0; asked by a signal to end, it stores what it has read by then.
 */
export function runHook(event: string): void {
  const options = parseOptions(process.argv.slice(1));
  const leave = (error?: unknown): never => exitQuietly(options, error);
  process.on("uncaughtException", leave);
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  const accept = (input: Input) => store(event, options, input, stop.signal).then(() => leave(), leave);
  const isOff = process.env["BECKON_DISABLE"] === "1";
  if (options.json !== undefined) {
    if (isOff) leave();
    return void accept({ payload: Buffer.from(options.json), end: 0 });
  }
  readInput(event === "SessionEnd" ? readingMs.sessionEnd : readingMs.ordinary, stop.signal, (input) => {
    if (input === "terminal") return showUsage();
    if (isOff) return leave();
    void accept(input);
  });
}

/**
 * Stores the event, wakes the worker and, with `--wait`, waits until the event is settled. Leaves a foreign root alone.
 */
async function store(event: string, { agent, waitMs }: HookOptions, input: Input, stop: AbortSignal): Promise<void> {
  const paths = pathsOf();
  if (foreignRoot(paths)) return;
  const cwd = workingDirectory();
  const id = newId();
  const wait = waitMs > 0 ? waitMs / 1000 : undefined;
  const terminal = recordedTerminal(process.env);
  const projects = readProjectFolders(process.env);
  const header = omitUndefined<RecordHeader>({ v: 1, event, agent, cwd, ...findCallers(), projects, terminal, wait });
  try {
    put(paths.spool, id, encodeRecord(header, input.payload, input.end));
  } catch (error) {
    markLost(paths.spool, id);
    throw error;
  }
  await wake(paths, existsSync(paths.worker) ? paths.worker : workerOfThisBuild());
  if (waitMs > 0) await waitUntilSettled(paths.spool, id, waitMs, stop);
}

/**
 * Options among the arguments, which begin with this script, or, where `node -e` has loaded it, with the first option.
 */
function parseOptions(args: readonly string[]): HookOptions {
  const after = (flag: string): string => args[args.indexOf(flag) + 1] ?? "";
  const agent = args.includes("--agent") ? /^[a-z0-9_-]+$/.exec(after("--agent"))?.[0] : undefined;
  const seconds = args.includes("--wait") ? Number(after("--wait")) : 0;
  const last = args.at(-1);
  return omitUndefined<HookOptions>({
    agent,
    waitMs: seconds > 0 && Number.isFinite(seconds) ? seconds * 1000 : 0,
    json: last?.startsWith("{") ? last : undefined,
  });
}

/** The worker beside this entrypoint, in a build or a clone: for hooks that run without an installation. */
function workerOfThisBuild(): string {
  const [, script = ""] = process.argv;
  // An option, where `node -e` has loaded this: no path of the project's is taken for it.
  if (!isAbsolute(script)) return "";
  const folder = dirname(script);
  const built = join(folder, "..", "worker.cjs");
  return existsSync(built) ? built : join(folder, "..", "dist", "worker.cjs");
}

const maxCallers = 8;

/** Finds the processes that called this one: on Linux up to the eighth, elsewhere the parent's number alone. */
function findCallers(): Pick<RecordHeader, "processes" | "callers"> {
  const callers: Caller[] = [];
  for (let pid = process.ppid; callers.length < maxCallers; ) {
    const found = findProcess(pid);
    if (found?.parentPid === undefined) break;
    callers.push([pid, /^[\w.:+-]+$/.test(found.name ?? "") ? (found.name ?? "") : ""]);
    pid = found.parentPid;
  }
  return callers.length > 0 ? { callers } : { processes: [process.ppid] };
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
    // the agent has closed its end; the exit code is 0 all the same
  }
}
