import type { StdioOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { constants } from "node:os";
import { basename, delimiter, isAbsolute, join, parse } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { execa as Execa } from "execa";
import { DeliveryError, type FailureReason } from "../core/errors.ts";
import type { ExecPort, ExecRequest, ExecResult } from "../core/ports.ts";
import { quietly } from "../core/quietly.ts";
import { homeDirectory } from "../files/paths.ts";
import { collectEnd } from "../files/read-file.ts";
import { clean } from "../text/clean.ts";
import { resolveProgram, searchFolders, systemFolders, which } from "./which.ts";

/** Longest time for reading the remaining output after a program has exited, milliseconds. */
const outputDrainMs = 100;
/** Longest time between SIGTERM and SIGKILL for a process group, milliseconds. */
const killGraceMs = 300;
const maxOutputBytes = 4096;

const options = {
  detached: process.platform !== "win32",
  reject: false,
  buffer: false,
  encoding: "buffer",
  extendEnv: false,
} as const;

type Child = ReturnType<typeof start>;

/**
 * Creates the port that runs programs.
 * @param env variables; programs get only those that `childEnv` allows
 * @param system folders that `driver` searches before PATH
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
  const { execa } = await import("execa");
  const child = start(execa, program, request, env);
  const stdout = collect(child.stdout);
  const stderr = collectEnd(child.stderr, maxOutputBytes);
  const result = await waitForEnd(child, request);
  if (!result) throw stopped(name);
  const { exitCode, signal } = result;
  if (exitCode === undefined && signal === undefined) throw notStarted(name, result.code);
  // As a shell reports it: 128 + n if signal n ended the program.
  const shellCode = exitCode ?? 128 + (signal ? constants.signals[signal] : 0);
  return { exitCode: shellCode, stdout: stdout(), stderr: stderr() };
}

function start(execa: typeof Execa, program: string, request: ExecRequest, env: NodeJS.ProcessEnv) {
  const stdin = request.input === undefined ? { stdin: "ignore" as const } : { input: request.input };
  try {
    return execa(program, request.args, {
      ...options,
      ...stdin,
      cwd: safeFolder(env),
      env: childEnv(env, request.env),
    });
  } catch {
    throw notStarted(basename(program), undefined);
  }
}

/**
 * Returns the working directory for programs: the home folder, or the root if the home folder is missing. The agent's
 * working directory is not used, because it may be gone and may hold settings that a program would read.
 */
function safeFolder(env: NodeJS.ProcessEnv): string {
  const home = homeDirectory(env);
  return existsSync(home) ? home : parse(process.execPath).root;
}

/** Waits for a program to exit. Resolves to undefined if its process group was killed at the deadline or on abort. */
function waitForEnd(child: Child, { timeoutMs, signal }: ExecRequest): Promise<Awaited<Child> | undefined> {
  const limit = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = () => {
      isStopping = true;
      void endGroup(child).then(() => resolve(undefined));
    };
    limit.addEventListener("abort", stop);
    child.once("exit", () => {
      limit.removeEventListener("abort", stop);
      setTimeout(() => closePipes(child), outputDrainMs).unref();
    });
    void child.then((result) => isStopping || resolve(result));
  });
}

/** Closes the pipes to a program, so that a grandchild that keeps them open does not delay this process. */
function closePipes({ stdin, stdout, stderr }: Child): void {
  for (const stream of [stdin, stdout, stderr]) stream?.destroy();
}

function stopped(name: string): DeliveryError {
  return new DeliveryError("timeout", `${name} did not finish in time and was stopped`);
}

function notFound(file: string, name: string): DeliveryError {
  if (isAbsolute(file) && existsSync(file)) {
    return new DeliveryError("unsupported", `${name} is not executable`, {
      hint: `If it is a program, run: chmod +x ${file}`,
    });
  }
  return new DeliveryError("unsupported", `the program ${name} does not exist`, {
    hint: "Use the name of a program on PATH, or an absolute path.",
  });
}

function notStarted(name: string, code: string | undefined): DeliveryError {
  return new DeliveryError(startFailure(code), `${name} could not be started (${code ?? "invalid argument"})`);
}

function startFailure(code: string | undefined): FailureReason {
  if (code === undefined || code === "E2BIG") return "rejected";
  return ["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"].includes(code) ? "unavailable" : "unsupported";
}

/** Reads a stream to its end. Returns a function that returns the first 4 KiB of what was read, as cleaned text. */
function collect(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  let kept = 0;
  stream.on("data", (chunk: Buffer) => {
    if (kept >= maxOutputBytes) return;
    chunks.push(chunk.subarray(0, maxOutputBytes - kept));
    kept += chunk.length;
  });
  // If a pipe breaks, only the exit code counts.
  stream.on("error", () => {});
  return () => clean(new TextDecoder().decode(Buffer.concat(chunks)));
}

/**
 * Ends a program's process group: sends SIGTERM, and SIGKILL as soon as the program has exited, or after 300 ms.
 * SIGKILL also ends other members of the group that ignored SIGTERM.
 */
async function endGroup(child: Child): Promise<void> {
  if (child.pid === undefined) return;
  if (process.platform === "win32") return endTree(child.pid);
  signalGroup(child.pid, "SIGTERM");
  await Promise.race([child, delay(killGraceMs, undefined, { ref: false })]);
  signalGroup(child.pid, "SIGKILL");
  closePipes(child);
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  quietly(() => process.kill(-pid, signal)); // ESRCH: no process is left. EPERM (macOS): only zombies are left.
}

/** Loads Node's module for programs on demand, because many workers run none. */
const loadSpawn = () => import("node:child_process");

async function endTree(pid: number): Promise<void> {
  const taskkill = join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", "taskkill.exe");
  const { spawn } = await loadSpawn();
  const child = spawn(taskkill, ["/PID", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
  await once(child, "exit").catch(() => child.kill());
}

const posixNames = [
  ...["HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"],
  // The two WSL variables let programs in WSL start Windows programs.
  ...["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "WSL_DISTRO_NAME", "WSL_INTEROP"],
];
const posixPrefixes = ["LC_", "PULSE_", "PIPEWIRE_"];
const windowsNames = [
  ...["SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP", "PATHEXT", "COMSPEC"],
  ...["USERNAME", "LANG", "TZ"],
];
const fallbackPath = "/usr/local/bin:/usr/bin:/bin";

/**
 * Builds the environment for a child process: those variables of `env` that a short list allows, and all variables of
 * `added`. Leaves out API keys, and variables that change how Node or libraries behave (`NODE_OPTIONS`, `DEBUG`).
 */
export function childEnv(
  env: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>> = {},
  runtimeRoot = "/run/user",
): Record<string, string> {
  const windows = process.platform === "win32";
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value && (windows ? windowsNames.includes(name.toUpperCase()) : isPosixName(name))) {
      kept[name] = value;
    }
  }
  kept["PATH"] = searchFolders(env).join(delimiter) || (windows ? "" : fallbackPath);
  return { ...(windows ? {} : sessionVariables(env, runtimeRoot)), ...kept, ...added };
}

function isPosixName(name: string): boolean {
  return posixNames.includes(name) || posixPrefixes.some((prefix) => name.startsWith(prefix));
}

/**
 * Returns the variables that locate the user's runtime folder and session bus on a systemd machine, as far as these
 * exist. A hook started over SSH or by a daemon does not inherit the variables.
 */
export function sessionVariables(env: NodeJS.ProcessEnv, runtimeRoot = "/run/user"): Record<string, string> {
  const folder = env["XDG_RUNTIME_DIR"] || `${runtimeRoot}/${process.getuid?.() ?? ""}`;
  const found: Record<string, string> = {};
  const folderStat = statSync(folder, { throwIfNoEntry: false });
  if (folderStat?.isDirectory() && folderStat.uid === process.getuid?.()) found["XDG_RUNTIME_DIR"] = folder;
  const bus = statSync(`${folder}/bus`, { throwIfNoEntry: false });
  if (bus?.isSocket()) found["DBUS_SESSION_BUS_ADDRESS"] = `unix:path=${folder}/bus`;
  return found;
}

/**
 * Runs a command line as an agent runs a hook: with `sh -c`, or `cmd` on Windows. `input` is the command's standard
 * input, `env` its environment. Stops the command after `timeoutMs`, and discards its output.
 * @returns the duration, and the exit code; null if a signal or the timeout ended the command line
 */
export async function runShellLine(
  line: string,
  { input, timeoutMs, ...place }: { input: string; cwd: string; env: NodeJS.ProcessEnv; timeoutMs: number },
): Promise<{ readonly exitCode: number | null; readonly tookMs: number }> {
  const startedAt = performance.now();
  const stdio: StdioOptions = ["pipe", "ignore", "ignore"];
  const { spawn } = await loadSpawn();
  const child = spawn(line, { ...place, shell: true, stdio, timeout: timeoutMs, windowsHide: true });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (exitCode) => resolve({ exitCode, tookMs: performance.now() - startedAt }));
    // A hook may exit without reading its input, so ignore EPIPE.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
