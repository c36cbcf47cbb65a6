import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type * as z from "zod";

/** What the pipeline kept in a file; `empty` where there is no such file yet, or one that does not fit the schema. */
export function readStateFile<T>(file: string, schema: z.ZodType<T>, empty: T): T {
  try {
    return schema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return empty; // none yet, torn, or written by another version: it starts anew
  }
}

/** Keeps a value between runs, as JSON in a private file that is replaced atomically. */
export function writeStateFile(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, JSON.stringify(value), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** A hash that tells a notifier's settings, references unresolved, from others; it holds no setting itself. */
export function fingerprint(settings: unknown): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("base64url");
}
