import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { agents } from "../src/agents/registry.ts";

const scratch = mkdtempSync(join(realpathSync(tmpdir()), "beckon-test-"));

/**
 * Runs once, before the workers start: no test sees the coding agents of the machine it runs on, and every temporary
 * folder is below one that goes at the end.
 */
export function setup(): void {
  process.env["TMPDIR"] = scratch;
  const programs = new Set(agents.flatMap(({ settings }) => settings?.program?.files ?? []));
  process.env["PATH"] = pathWithout(programs, process.env["PATH"] ?? "");
}

export function teardown(): void {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
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
