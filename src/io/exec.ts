import { existsSync } from "node:fs";
import { basename, parse } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { execa as Execa } from "execa";
import { DeliveryError, errnoOf, type FailureReason } from "../core/errors.ts";
import { homeDirectory } from "../core/paths.ts";
import type { ExecPort, ExecRequest, ExecResult } from "../core/ports.ts";
import { childEnv } from "./child-env.ts";
import { collect, endGroup, shellExitCode } from "./exec-process.ts";
import { resolveProgram } from "./which.ts";

/** How long output that is still in the pipes is waited for once the program has ended. */
const drainMs = 100;

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

/** Starts programs for notifiers, with `env` as the environment the allow-list is taken from. */
export function createExec(env: NodeJS.ProcessEnv = process.env): ExecPort {
  return { run: (request) => run(request, env), which: (file) => resolveProgram(file, env) };
}

async function run(request: ExecRequest, env: NodeJS.ProcessEnv): Promise<ExecResult> {
  const name = basename(request.file);
  const program = resolveProgram(request.file, env);
  if (program === undefined) {
    throw new DeliveryError("unsupported", `there is no program ${name}`, {
      hint: "Give a name that is on PATH, or an absolute path, of an executable file.",
    });
  }
  if (request.signal?.aborted) throw stopped(name);
  // Loaded here: a worker that runs no program starts without it.
  const { execa } = await import("execa");
  const child = start(execa, program, request, env);
  if (child instanceof Error || child.pid === undefined) throw notStarted(name, errnoOf(await child));
  return settle(child, child.pid, request, name);
}

/** Some failures to start are thrown at once, others come with the result. */
function start(execa: typeof Execa, program: string, request: ExecRequest, env: NodeJS.ProcessEnv) {
  const stdin = request.input === undefined ? "ignore" : "pipe";
  try {
    return execa(program, request.args, { ...options, stdin, cwd: safeFolder(env), env: childEnv(env, request.env) });
  } catch (error) {
    return error as Error;
  }
}

/** Not the agent's folder: it may be gone, and programs look for settings of their own where they start. */
function safeFolder(env: NodeJS.ProcessEnv): string {
  const home = homeDirectory(env);
  return existsSync(home) ? home : parse(process.execPath).root;
}

async function settle(child: Child, pid: number, request: ExecRequest, name: string): Promise<ExecResult> {
  // With `reject: false` it resolves; it is not waited for because a grandchild that holds the pipes would delay it.
  void child.catch(() => {});
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
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
  // Time over, aborted and cleared all end the wait; who asks has the program's end first where there was one.
  const reached = delay(timeoutMs, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
  return { reached, clear: () => cleared.abort() };
}

function stopped(name: string): DeliveryError {
  return new DeliveryError("timeout", `${name} did not finish in time and was stopped`);
}

function notStarted(name: string, code: string | undefined): DeliveryError {
  return new DeliveryError(startFailure(code), `${name} could not be started (${code ?? "invalid argument"})`);
}

function startFailure(code: string | undefined): FailureReason {
  if (code === undefined || code === "E2BIG") return "rejected";
  return ["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"].includes(code) ? "unavailable" : "unsupported";
}
