import { createHash } from "node:crypto";
import type * as z from "zod";
import { replaceQuietly } from "./atomic-file.ts";
import { readQuietly } from "./read-file.ts";

/**
 * What was kept in a file; `empty` where there is no such file yet, or one that does not fit the schema.
 * @param schema called only where there is a file
 */
export function readStateFile<T>(file: string, schema: () => z.ZodType<T>, empty: T): T {
  const text = readQuietly(file);
  if (text === undefined) return empty;
  try {
    return schema().parse(JSON.parse(text));
  } catch {
    return empty; // torn, or written by another version: it starts anew
  }
}

/** Keeps a value between runs, as JSON. Returns false where it cannot be written; see `replaceQuietly`. */
export function writeStateFile(file: string, value: unknown): boolean {
  return replaceQuietly(file, JSON.stringify(value));
}

/** A hash that tells a notifier's settings, references unresolved, from others; it holds no setting itself. */
export function fingerprint(settings: unknown): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("base64url");
}
