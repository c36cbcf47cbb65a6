import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

/** Options of a run. */
export type Options = ReturnType<typeof parseOptions>;

/** Platforms that run by default: one of each kind. */
const byDefault = ["debian", "alpine", "macos", "windows"];

/** Usage text. */
export const usage = `npm run test:platforms -- [options]

  --platforms a,b   these platforms; ${byDefault.join(", ")} by default
  --all             all platforms
  --checks REGEX    only checks whose names match
  --bash FILE       this bash in the root macos instead of Debian's: one of version 3.2, as a Mac has it
  --time            measure the hooks' time too, on a quiet machine
  --update          rewrite the fixtures of the calls of macOS' and Windows' programs
  --keep DIR        keep roots, homes and what was printed
  --jobs N          platforms at a time; 2 by default
  --list            list the platforms and run nothing; + marks those that would not run`;

/** Parses the command line. Fails with a description of the mistake. */
export function parseOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      platforms: { type: "string" },
      all: { type: "boolean", default: false },
      checks: { type: "string", default: "" },
      bash: { type: "string" },
      time: { type: "boolean", default: false },
      update: { type: "boolean", default: false },
      keep: { type: "string" },
      jobs: { type: "string", default: "2" },
      list: { type: "boolean", default: false },
    },
  });
  return {
    ...{ checks: values.checks, list: values.list, time: values.time, update: values.update },
    keeps: values.keep !== undefined,
    /** Names of platforms; undefined for all platforms. */
    platforms: values.platforms?.split(",") ?? (values.all ? undefined : byDefault),
    bash: values.bash && resolve(values.bash),
    /** Folder for all files; a temporary folder unless it is named. */
    folder: values.keep ? resolve(values.keep) : mkdtempSync(`${tmpdir()}/beckon-platforms-`),
    jobs: Math.max(1, Number(values.jobs) || 1),
  };
}
