import { readFileSync } from "node:fs";

/** The text of a file; undefined if there is none, or it cannot be read. */
export function readQuietly(file: string, encoding: BufferEncoding = "utf8"): string | undefined {
  try {
    return readFileSync(file, encoding);
  } catch {
    return undefined;
  }
}
