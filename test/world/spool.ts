import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { beforeEach } from "vitest";
import { makeSpool } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { freshFolder } from "./fresh-folder.ts";
import { listSpool } from "./home.ts";

type TestSpool = ReturnType<typeof createSpool>;

/** Makes a real spool in the test's own folder. */
export function createSpool() {
  const root = freshFolder();
  const spool = join(root, "spool");
  mkdirSync(spool);
  makeSpool(spool);
  return {
    root,
    spool,
    /** Writes a file of a given age below the spool. */
    write(file: string, content: string | Buffer = record(), modifiedAtMs?: number) {
      writeFileSync(join(spool, file), content);
      if (modifiedAtMs !== undefined) utimesSync(join(spool, file), modifiedAtMs / 1000, modifiedAtMs / 1000);
    },
    /** Lists all files, as `folder/file`, in order of their names. */
    files: () => listSpool(spool),
    readText: (file: string) => readFileSync(join(spool, file), "utf8"),
  };
}

/** Gives each test of a file or a `describe` block a new spool. */
export function useSpool(): TestSpool {
  const at = {} as TestSpool;
  beforeEach(() => void Object.assign(at, createSpool()));
  return at;
}

/** Makes a whole record. */
export function record(event = "Stop", payload = "{}"): Buffer {
  return encodeRecord({ v: 1, event, agent: "droid" }, Buffer.from(payload));
}

/** Builds a program that may import from `src/spool`, for separate processes. */
export function buildProgram(file: string, contents: string): string {
  buildSync({
    stdin: { contents, resolveDir: join(import.meta.dirname, "../../src/spool"), loader: "ts" },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    outfile: file,
  });
  return file;
}
