import { type ChildProcess, spawn } from "node:child_process";
import fs, { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Paths, resolvePaths, spoolFolders } from "../../src/files/paths.ts";
import { readQuietly } from "../../src/files/read-file.ts";
import { type JournalLine, parseJournal } from "../../src/journal/journal-line.ts";

export const repository = join(import.meta.dirname, "..", "..");
export const dist = join(repository, "dist");

/** Folder with type declarations: a fifth of the build's files, which no program reads. */
const declarations = join(dist, "types");
const cliParts = join("dist", "chunks", "cli");
/** Result of running a hook as an agent does. */
export interface HookResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly tookMs: number;
}

type Args = readonly string[];
type Input = string | Buffer;
export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** True to leave standard input open after writing. */
  readonly keepOpen?: boolean;
  /**
   * User to run the program as, with the group of the same number; only root may set it. Default: this process's user.
   */
  readonly uid?: number;
  /** True on Windows if the arguments make up the command line unchanged. */
  readonly isVerbatim?: boolean;
}

/** A real installation of the built toolkit in a separate folder. */
export type Home = ReturnType<typeof homeAt>;

/** Lays out `~/.beckon` as the installer does, by default under a temporary folder. */
export function createHome(name = "beckon", root = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), `${name}-`))): Home {
  const paths = resolvePaths(root);
  mkdirSync(paths.app, { recursive: true, mode: 0o700 });
  const isCopied = (path: string) => path !== declarations && path !== join(repository, cliParts);
  cpSync(dist, join(paths.app, "dist"), { recursive: true, filter: isCopied });
  linkFolder(join(repository, cliParts), join(paths.app, cliParts));
  cpSync(join(repository, "templates"), join(paths.app, "templates"), { recursive: true });
  cpSync(join(dist, "hooks", "hook.sh"), paths.launcher);
  recordNode(paths, process.execPath);
  for (const folder of spoolFolders) mkdirSync(join(paths.spool, folder), { recursive: true, mode: 0o700 });
  return homeAt(root);
}

/** Records the Node to run, as the installer does. */
export function recordNode({ nodeLink, nodeRecord }: Pick<Paths, "nodeLink" | "nodeRecord">, node: string): void {
  writeFileSync(nodeRecord, `${node}\n`);
  mkdirSync(dirname(nodeLink), { recursive: true, mode: 0o700 });
  rmSync(nodeLink, { force: true });
  if (process.platform !== "win32") fs.symlinkSync(node, nodeLink);
}

/**
 * Links the files of the command line, which are most of the build and are never written to. Windows lets few users
 * make links.
 */
function linkFolder(from: string, to: string): void {
  if (process.platform === "win32") cpSync(from, to, { recursive: true });
  else fs.symlinkSync(from, to);
}

/**
 * Describes the installation in a folder.
 * @param userHome home folder of those who run its hooks
 */
export function homeAt(root: string, userHome: string = root) {
  const paths = resolvePaths(root);
  const { NODE_OPTIONS: _, NODE_EXTRA_CA_CERTS: __, BECKON_DEBUG: ___, ...clean } = process.env;
  const env: NodeJS.ProcessEnv = { ...clean, HOME: userHome, BECKON_HOME: root };
  const within = (options?: RunOptions): RunOptions => ({ ...options, env: { ...env, ...options?.env } });
  const journal = () => readAllJournal(paths.journal);
  /** Files in the spool, as `folder/file`, without the lock. */
  const spooled = () => listSpool(paths.spool);
  return {
    ...{ paths, env, journal, spooled },
    writeConfig: (config: object) => writeFileSync(paths.config, JSON.stringify(config), { mode: 0o600 }),
    launch: (args: Args, input: Input, options?: RunOptions) => run(paths.launcher, args, input, within(options)),
    /** Runs a compiled entrypoint, e.g. `stop`. */
    enter: (entrypoint: string, args: Args, input: Input, options?: RunOptions) =>
      run(process.execPath, [join(dist, "hooks", `${entrypoint}.cjs`), ...args], input, within(options)),
    /** Waits for a state of the journal, or fails with its lines. */
    async until(condition: (journal: JournalLine[]) => boolean, timeoutMs = 15_000): Promise<JournalLine[]> {
      for (const deadline = Date.now() + timeoutMs; ; await sleep(25)) {
        const now = journal();
        if (condition(now)) return now;
        const lines = now.map((line) => JSON.stringify(line)).join("\n");
        if (Date.now() > deadline)
          throw new Error(`not within ${timeoutMs} ms; spool: ${spooled().join(" ")}; journal:\n${lines}`);
      }
    },
    workerPid(): number | undefined {
      const lock = readQuietly(paths.lock); // which an exiting worker removes at any moment
      return lock === undefined ? undefined : Number.parseInt(lock, 10);
    },
    /** Kills the worker and waits until it is gone. */
    killWorker: () => killHomeWorker(paths.lock),
    remove: () => removeRoot(root),
  };
}

/** Runs a program with an agent's standard input, and waits until it has ended and closed its streams. */
export async function run(file: string, args: Args, input: Input, options: RunOptions = {}): Promise<HookResult> {
  const startedAtMs = performance.now();
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
    windowsVerbatimArguments: options.isVerbatim ?? false,
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => {}); // the hook may stop reading before we stop writing
  if (options.keepOpen) child.stdin.write(input);
  else child.stdin.end(input);
  const result = await readToEnd(child);
  child.stdin.destroy();
  return { ...result, tookMs: performance.now() - startedAtMs };
}

/** Reads what a program prints, until it has ended and closed its streams. */
export function readToEnd(child: ChildProcess): Promise<Omit<HookResult, "tookMs">> {
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.on("data", (chunk: Buffer) => {
      output[name] += chunk.toString();
    });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, signal) => resolve({ exitCode, signal, ...output }));
  });
}

export { sleep };

/** Lists the files in a spool, as `folder/file`, in order of their names; empty without a spool. */
export function listSpool(spool: string): string[] {
  const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);
  return spoolFolders.flatMap((folder) => namesIn(join(spool, folder)).map((file) => `${folder}/${file}`));
}

/** Reads all lines of a journal's folder, in order; empty without a folder. */
export function readAllJournal(folder: string): JournalLine[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((file) => parseJournal(readFileSync(join(folder, file), "utf8")));
}

/** Kills the worker that holds a lock, and waits until the worker is gone. */
export async function killHomeWorker(lock: string): Promise<void> {
  if (!existsSync(lock)) return;
  try {
    const pid = Number.parseInt(readFileSync(lock, "utf8"), 10);
    process.kill(pid, "SIGKILL");
    while (runs(pid)) await sleep(5);
  } catch {
    // gone
  }
}

/** True if a process is running. Throws if there is no such process. Under Wine, `/proc` is that of Linux. */
function runs(pid: number): boolean {
  if (process.platform !== "linux") return process.kill(pid, 0);
  return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

/**
 * Kills a root's worker and removes the root, or the folder around it, although earlier programs may still be writing
 * there.
 */
export async function removeRoot(root: string, folder: string = root): Promise<void> {
  await killHomeWorker(resolvePaths(root).lock);
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 10 });
}
