import { createHash } from "node:crypto";
import type * as z from "zod";
import { replaceQuietly } from "./atomic-file.ts";
import { readQuietly } from "./read-file.ts";

/**
 * Reads a value from a JSON file. Returns `empty` if there is no file, or if the value does not fit the schema.
 * @param schema returns the schema; called only if there is a file
 */
export function readStateFile<T>(file: string, schema: () => z.ZodType<T>, empty: T): T {
  const text = readQuietly(file);
  if (text === undefined) return empty;
  try {
    return schema().parse(JSON.parse(text));
  } catch {
    return empty; // damaged, or written by another version: start with an empty state
  }
}

/** Writes a value to a file as JSON. Returns false if it cannot be written; see `replaceQuietly`. */
export function writeStateFile(file: string, value: unknown): boolean {
  return replaceQuietly(file, JSON.stringify(value));
}

/** Returns a hash of a notifier's settings with unresolved references. It does not reveal the settings. */
export function fingerprint(settings: unknown): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("base64url");
}
