import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { basename, isAbsolute, join, parse } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { execa as Execa } from "execa";
import { clean } from "../core/clean.ts";
import { DeliveryError, errnoOf, type FailureReason } from "../core/errors.ts";
import { homeDirectory } from "../core/paths.ts";
import type { ExecPort, ExecRequest, ExecResult } from "../core/ports.ts";
import { childEnv } from "./child-env.ts";
import { resolveProgram, searchFolders, systemFolders, which } from "./which.ts";

/** How long to wait for output that is still in the pipes once the program has ended. */
const drainMs = 100;
/** How long a process group has to end after SIGTERM. */
const graceMs = 300;
const maxOutputBytes = 4096;

const options = {
  shell: false,
  detached: process.platform !== "win32",
  windowsHide: true,
  reject: false,
  buffer: false,
  encoding: "buffer",
  extendEnv: false,
  preferLocal: false,
  stdout: "pipe",
  stderr: "pipe",
} as const;
type Child = Exclude<ReturnType<typeof start>, Error>;

/**
 * The port that runs programs.
 * @param env the environment from which the allow-list is taken
 * @param system folders in which `driver` looks before those of PATH
 */
export function createExec(
  env: NodeJS.ProcessEnv = process.env,
  system: readonly string[] = systemFolders(env),
): ExecPort {
  return {
    run: (request) => run(request, env),
    which: (file) => resolveProgram(file, env),
    driver: (name) => which(name, env, [...system, ...searchFolders(env)]),
  };
}

async function run(request: ExecRequest, env: NodeJS.ProcessEnv): Promise<ExecResult> {
  const name = basename(request.file);
  const program = resolveProgram(request.file, env);
  if (program === undefined) throw notFound(request.file, name);
  if (request.signal?.aborted) throw stopped(name);
  // Loaded here: a worker that runs no program does without it.
  const { execa } = await import("execa");
  const child = start(execa, program, request, env);
  if (child instanceof Error || child.pid === undefined) throw notStarted(name, errnoOf(await child));
  return waitForEnd(child, child.pid, request, name);
}

/** Starts a program. Some failures are thrown at once and returned here, others come with the result. */
function start(execa: typeof Execa, program: string, request: ExecRequest, env: NodeJS.ProcessEnv) {
  const stdin = request.input === undefined ? "ignore" : "pipe";
  try {
    return execa(program, request.args, { ...options, stdin, cwd: safeFolder(env), env: childEnv(env, request.env) });
  } catch (error) {
    return error as Error;
  }
}

/** The home folder, else the root: the agent's may be gone, and programs look for settings where they are started. */
function safeFolder(env: NodeJS.ProcessEnv): string {
  const home = homeDirectory(env);
  return existsSync(home) ? home : parse(process.execPath).root;
}

async function waitForEnd(child: Child, pid: number, request: ExecRequest, name: string): Promise<ExecResult> {
  // With `reject: false` it never rejects. It is not awaited: a grandchild that holds the pipes would delay it.
  void child.catch(() => {});
  const stdout = collect(child.stdout);
  const stderr = collectEnd(child.stderr);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const exited = new Promise<number>((resolve) =>
    child.once("exit", (code, signal) => resolve(shellExitCode(code, signal))),
  );
  // A program need not read its input: EPIPE is no failure.
  child.stdin?.on("error", () => {});
  child.stdin?.end(request.input);

  const limit = deadline(request);
  try {
    const exitCode = await Promise.race([exited, limit.reached]);
    if (exitCode === undefined) {
      await endGroup(pid, closed);
      throw stopped(name);
    }
    await Promise.race([closed, delay(drainMs)]);
    return { exitCode, stdout: stdout(), stderr: stderr() };
  } finally {
    limit.clear();
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  }
}

function deadline({ timeoutMs, signal }: ExecRequest): { reached: Promise<undefined>; clear(): void } {
  const cleared = new AbortController();
  const signals = signal ? [signal, cleared.signal] : [cleared.signal];
  // Timeout, abort and clear() all end the wait. The caller races it against the program's end.
  const reached = delay(timeoutMs, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
  return { reached, clear: () => cleared.abort() };
}

function stopped(name: string): DeliveryError {
  return new DeliveryError("timeout", `${name} did not finish in time and was stopped`);
}

function notFound(file: string, name: string): DeliveryError {
  if (isAbsolute(file) && existsSync(file)) {
    return new DeliveryError("unsupported", `${name} is no executable file`, {
      hint: `If it is a program: chmod +x ${file}`,
    });
  }
  return new DeliveryError("unsupported", `there is no program ${name}`, {
    hint: "Give a name that is on PATH, or an absolute path, of an executable file.",
  });
}

function notStarted(name: string, code: string | undefined): DeliveryError {
  return new DeliveryError(startFailure(code), `${name} could not be started (${code ?? "invalid argument"})`);
}

function startFailure(code: string | undefined): FailureReason {
  if (code === undefined || code === "E2BIG") return "rejected";
  return ["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"].includes(code) ? "unavailable" : "unsupported";
}

/** Drains a stream and keeps its first 4 KiB; the function returned gives them as cleaned text. */
function collect(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  let kept = 0;
  stream.on("data", (chunk: Buffer) => {
    if (kept >= maxOutputBytes) return;
    chunks.push(chunk.subarray(0, maxOutputBytes - kept));
    kept += chunk.length;
  });
  // A broken pipe ends the output; how the program ended is what counts.
  stream.on("error", () => {});
  return () => clean(new TextDecoder().decode(Buffer.concat(chunks)));
}

/**
 * Drains a stream and keeps its last 4 KiB, of longer output whole lines; the function returned gives them as cleaned
 * text.
 */
function collectEnd(stream: Readable): () => string {
  let kept: Buffer = Buffer.alloc(0);
  let isCut = false;
  stream.on("data", (chunk: Buffer) => {
    const all = Buffer.concat([kept, chunk]);
    isCut ||= all.length > maxOutputBytes;
    kept = all.subarray(-maxOutputBytes);
  });
  stream.on("error", () => {}); // as above
  // Half a line may begin with half a secret, which nobody would recognize.
  return () => clean(new TextDecoder().decode(isCut ? kept.subarray(kept.indexOf("\n") + 1 || kept.length) : kept));
}

/** The exit code as a shell reports it: 128 + n for signal n. */
function shellExitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

/**
 * Ends a process group by its leader: SIGTERM, then SIGKILL once `closed` resolves (the leader has ended and its output
 * is closed), after 300 ms at the latest. The SIGKILL also ends members that have closed the output and ignored
 * SIGTERM.
 */
async function endGroup(pid: number, closed: Promise<unknown>): Promise<void> {
  if (process.platform === "win32") return endTree(pid);
  signalGroup(pid, "SIGTERM");
  const waiting = new AbortController();
  await Promise.race([closed, delay(graceMs, undefined, { signal: waiting.signal }).catch(() => {})]);
  waiting.abort();
  signalGroup(pid, "SIGKILL");
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: the group is empty. EPERM (macOS): only zombies are left in it.
  }
}

async function endTree(pid: number): Promise<void> {
  const taskkill = join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", "taskkill.exe");
  const child = spawn(taskkill, ["/PID", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
  await once(child, "exit").catch(() => child.kill());
}
