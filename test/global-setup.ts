import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestProject } from "vitest/node";
import { agents } from "../src/agents/registry.ts";
import { readQuietly } from "../src/core/read-quietly.ts";
import { put } from "../src/spool/put.ts";
import { encodeRecord } from "../src/spool/record.ts";
import { compiledWorker, createHome, dist, run } from "./world/home.ts";

const prefix = "beckon-test-";
const scratch = findScratch(realpathSync(tmpdir()));

/** The folder of another project of this run, or a new one: the path of a socket may have a hundred characters. */
function findScratch(temporary: string): string {
  if (basename(temporary).startsWith(prefix)) return temporary;
  const short = process.platform === "darwin" ? realpathSync("/tmp") : temporary; // a user's own takes fifty of them
  return mkdtempSync(join(short, prefix));
}

/** Projects whose tests start no worker, but for the few of `test/smoke.test.ts`. */
const inProcess: readonly string[] = ["", "unit", "unit-apart"];

/**
 * Runs once for each project, before the workers start: no test sees the coding agents of the machine it runs on, and
 * every temporary folder is below one that goes at the end.
 */
export async function setup({ name }: Pick<TestProject, "name">): Promise<void> {
  for (const variable of process.platform === "win32" ? ["TEMP", "TMP"] : ["TMPDIR"]) process.env[variable] = scratch;
  if (!inProcess.includes(name)) await compileWorker();
  const programs = new Set(agents.flatMap(({ settings }) => settings?.program?.files ?? []));
  process.env["PATH"] = pathWithout(programs, process.env["PATH"] ?? "");
}

/**
 * Keeps what V8 makes of the worker's code for the homes of this run, as an installed worker does: otherwise the first
 * worker of each home would compile it again, and there are hundreds.
 */
async function compileWorker(): Promise<void> {
  const kept = join(scratch, "main.compiled");
  if (existsSync(kept) || !existsSync(join(dist, "worker.cjs"))) return;
  const home = createHome("beckon-compile");
  home.writeConfig({ notifiers: {}, delivery: { linger: "0s" } });
  put(home.paths.spool, "one", encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from("{}")));
  await run(process.execPath, [home.paths.worker], "", { env: home.env });
  copyFileSync(join(home.paths.app, compiledWorker), kept);
  await home.remove();
}

export async function teardown(): Promise<void> {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  const deadline = Date.now() + 5_000; // a worker notices within seconds that its folder is gone
  while (leftRunning().length > 0 && Date.now() < deadline) await sleep(100);
  for (const { pid, line } of leftRunning()) {
    console.error(`left running by a test, and killed: ${line}`);
    process.kill(pid, "SIGKILL");
  }
}

/** Programs with a temporary folder of this run on their command lines, on Linux: each would slow down what follows. */
function leftRunning(): readonly { readonly pid: number; readonly line: string }[] {
  return namesIn("/proc").flatMap((name) => {
    const line = readQuietly(`/proc/${name}/cmdline`)?.replaceAll("\0", " ") ?? "";
    return /^\d+$/.test(name) && line.includes(scratch) ? [{ pid: Number(name), line }] : [];
  });
}

/** A PATH without some programs: a folder that holds one is replaced by a folder of links to everything else in it. */
function pathWithout(programs: ReadonlySet<string>, path: string): string {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder, index) => {
      const names = namesIn(folder);
      if (!names.some((name) => programs.has(name))) return folder;
      const links = join(scratch, `path-${index}`);
      mkdirSync(links);
      for (const name of names.filter((name) => !programs.has(name)))
        symlinkSync(join(folder, name), join(links, name));
      return links;
    })
    .join(delimiter);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not there, or not readable: nothing is found in it either way
  }
}
