import { existsSync, rmSync, writeSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { omitUndefined } from "../core/omit-undefined.ts";
import { readProjectFolders } from "../core/project-variables.ts";
import { quietly } from "../core/quietly.ts";
import { recordedTerminal } from "../core/terminal-environment.ts";
import { resolvePaths, workingDirectory } from "../files/paths.ts";
import { findCallers } from "../files/process-table.ts";
import { foreignRoot, isUnusableFolder } from "../files/root-access.ts";
import { markLost, newId, put, waitUntilSettled } from "../spool/put.ts";
import { encodeRecord, type RecordHeader } from "../spool/record.ts";
import { wake } from "../spool/wake.ts";
import { neutralReplies } from "./neutral-replies.ts";
import { type Input, readInput, readTimeoutMs } from "./read-input.ts";

type HookOptions = ReturnType<typeof parseOptions>;

/**
 * Runs a compiled entrypoint: reads standard input, stores the event in the spool, wakes the worker, and exits with 0.
 * Prints only the reply that keeps the agent's screen unchanged or, with `--ask` or `--form`, the user's answer.
 * `BECKON_DISABLE=1` disables the hook; `BECKON_DEBUG=1` prints errors to standard error. Options: `--agent NAME`,
 * `--wait SECONDS`, `--ask SECONDS`, `--form SECONDS`. Never throws. On SIGTERM, SIGINT or SIGHUP, stores the input read
 * so far.
 */
export function runHook(event: string): void {
  const options = parseOptions(process.argv.slice(1));
  const exit = (error?: unknown): never => exitQuietly(options, error);
  process.on("uncaughtException", exit);
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  const accept = (input: Input) => store(event, options, input, stop.signal).then(() => exit(), exit);
  const isOff = process.env["BECKON_DISABLE"] === "1";
  if (options.json !== undefined) {
    if (isOff) exit();
    return void accept({ payload: Buffer.from(options.json), end: 0 });
  }
  readInput(event === "SessionEnd" ? readTimeoutMs.sessionEnd : readTimeoutMs.ordinary, stop.signal, (input) => {
    if (input === "terminal") return showUsage();
    if (isOff) return exit();
    void accept(input);
  });
}

/**
 * Stores the event and wakes the worker. With `--ask` or `--form`, waits for the user's answer; with `--wait`, waits
 * until the event is settled. Does nothing if another user owns beckon's folder.
 */
async function store(event: string, options: HookOptions, input: Input, stop: AbortSignal): Promise<void> {
  const paths = resolvePaths();
  if (foreignRoot(paths)) return;
  const { agent, waitMs, askMs, isForm } = options;
  const cwd = workingDirectory();
  const found = findCallers();
  const callers = found.processes ?? (found.callers ?? []).slice(0, 2).map(([pid]) => pid);
  const id = newId();
  const asking = askMs > 0 ? { ask: askMs / 1000, hook: process.pid, ...(isForm && { form: true as const }) } : {};
  if (askMs > 0 && !isUnusableFolder(paths.asks)) rmSync(join(paths.asks, id), { recursive: true, force: true }); // nobody can have answered yet
  const wait = waitMs > 0 ? waitMs / 1000 : undefined;
  const terminal = recordedTerminal(process.env);
  const projects = readProjectFolders(process.env);
  const header = omitUndefined<RecordHeader>({
    v: 1,
    event,
    agent,
    cwd,
    ...found,
    projects,
    terminal,
    wait,
    ...asking,
  });
  try {
    put(paths.spool, id, encodeRecord(header, input.payload, input.end));
  } catch (error) {
    markLost(paths.spool, id);
    throw error;
  }
  await wake(paths, existsSync(paths.worker) ? paths.worker : findBundledWorker());
  if (askMs > 0) {
    const { waitForAnswer } = await import("./wait-for-answer.ts");
    const folders = [cwd, ...Object.values(projects ?? {})].filter((folder) => folder !== undefined);
    const payload = isForm ? input.payload : undefined;
    const reply = await waitForAnswer({ paths, id, callers, projects: folders, timeoutMs: askMs, stop, payload });
    if (reply !== undefined) writeQuietly(1, reply);
  } else if (waitMs > 0) await waitUntilSettled(paths.spool, id, waitMs, stop);
}

/** Parses the options. The arguments begin with this script's path or, under `node -e`, with the first option. */
function parseOptions(args: readonly string[]) {
  const after = (flag: string): string => args[args.indexOf(flag) + 1] ?? "";
  const agent = args.includes("--agent") ? /^[a-z0-9_-]+$/.exec(after("--agent"))?.[0] : undefined;
  const readMs = (flag: string): number => {
    const seconds = args.includes(flag) ? Number(after(flag)) : 0;
    return seconds > 0 && Number.isFinite(seconds) ? seconds * 1000 : 0;
  };
  const last = args.at(-1);
  return {
    agent,
    waitMs: readMs("--wait"),
    /** Maximum wait for the user's answer, milliseconds; 0 if the hook does not ask. */
    askMs: readMs("--ask") || readMs("--form"),
    /** True if the hook asks about a form of the agent, not about a permission. */
    isForm: args.includes("--form"),
    /** Payload, if the agent passes the payload as the last argument and not on standard input. */
    json: last?.startsWith("{") ? last : undefined,
  };
}

/** Returns the path of the worker that was built together with this entrypoint. Used if no worker is installed. */
function findBundledWorker(): string {
  const [, script = ""] = process.argv;
  // Under `node -e`, `script` is an option, which must not be resolved to a path in the project.
  if (!isAbsolute(script)) return "";
  const folder = dirname(script);
  const built = join(folder, "..", "worker.cjs");
  return existsSync(built) ? built : join(folder, "..", "dist", "worker.cjs");
}

function showUsage(): never {
  writeQuietly(2, "usage: node HOOK.cjs [--agent NAME] [--wait|--ask|--form SECONDS] < payload.json\n");
  process.exit(0);
}

function exitQuietly({ agent }: HookOptions, error?: unknown): never {
  if (error && process.env["BECKON_DEBUG"] === "1") writeQuietly(2, `beckon: ${String(error)}\n`);
  const reply = agent && neutralReplies[agent];
  if (reply) writeQuietly(1, reply);
  process.exit(0);
}

function writeQuietly(descriptor: 1 | 2, text: string): void {
  quietly(() => writeSync(descriptor, text)); // the agent may have closed its end
}
