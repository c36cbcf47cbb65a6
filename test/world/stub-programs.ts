import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach } from "vitest";
import type { ExecPort } from "../../src/core/ports.ts";
import { freshFolder } from "./fresh-folder.ts";

export type StubPrograms = ReturnType<typeof stubPrograms>;

/** Shell command that records the arguments for `readArgs`. */
export const recordArgs = `printf '%s\\0' "$@" > "$0.args"`;

/** Makes a folder for stub programs, the only folder on PATH. It is removed after the requesting test. */
export function stubPrograms() {
  const folder = freshFolder();
  return {
    folder,
    /** Environment whose PATH holds only the stubs. */
    env: { PATH: folder, HOME: folder } as NodeJS.ProcessEnv,
    /** Adds a shell script; it must call other programs by their absolute paths. */
    add(name: string, script: string) {
      const path = join(folder, name);
      writeFileSync(path, `#!/bin/sh\n${script}\n`);
      chmodSync(path, 0o755);
      return path;
    },
    /** Reads the arguments of the last call of a stub that starts with `recordArgs`; undefined before the first call. */
    readArgs(name: string) {
      const path = join(folder, `${name}.args`);
      return existsSync(path) ? readFileSync(path, "utf8").split("\0").slice(0, -1) : undefined;
    },
  };
}

/** Gives each test of a file or a `describe` block a new folder for stub programs. */
export function useStubPrograms(): StubPrograms {
  const stubs = {} as StubPrograms;
  beforeEach(() => void Object.assign(stubs, stubPrograms()));
  return stubs;
}

/**
 * Runs the same programs, but for at most a tenth of a second each. `granted` gets the time that each would have had.
 */
export function impatient(exec: ExecPort, granted: number[]): ExecPort {
  return {
    ...exec,
    run: (request) => {
      granted.push(request.timeoutMs);
      return exec.run({ ...request, timeoutMs: 100 });
    },
  };
}
