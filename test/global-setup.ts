import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { agents } from "../src/agents/registry.ts";
import { readQuietly } from "../src/files/read-file.ts";

const prefix = "beckon-test-";
const scratch = findScratch(realpathSync(tmpdir()));

/**
 * Finds the folder that another project of this run made, or makes one. Its path is short, because a socket's path may
 * have only a hundred characters.
 */
function findScratch(temporary: string): string {
  if (basename(temporary).startsWith(prefix)) return temporary;
  const short = process.platform === "darwin" ? realpathSync("/tmp") : temporary; // a user's own takes fifty of them
  return mkdtempSync(join(short, prefix));
}

/**
 * Runs once for each project, before the workers start. Hides the machine's coding agents from the tests, and puts
 * every temporary folder below one folder, which is removed at the end.
 */
export async function setup(): Promise<void> {
  for (const variable of process.platform === "win32" ? ["TEMP", "TMP"] : ["TMPDIR"]) process.env[variable] = scratch;
  const programs = new Set(agents.flatMap(({ settings }) => settings?.program?.files ?? []));
  process.env["PATH"] = pathWithout(programs, process.env["PATH"] ?? "");
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

/**
 * Finds programs that this run has left running, by a temporary folder of this run on their command lines (Linux). Each
 * would slow down later tests.
 */
function leftRunning(): readonly { readonly pid: number; readonly line: string }[] {
  return namesIn("/proc").flatMap((name) => {
    const line = readQuietly(`/proc/${name}/cmdline`)?.replaceAll("\0", " ") ?? "";
    return /^\d+$/.test(name) && line.includes(scratch) ? [{ pid: Number(name), line }] : [];
  });
}

/**
 * Makes a PATH without some programs: each folder with such a program is replaced by a folder of links to its other
 * files.
 */
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
    return []; // missing or unreadable: it has no programs either
  }
}
