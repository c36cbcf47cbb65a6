import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Writes into a file until its file system is full to the last byte. Returns a function that frees the space. */
export function fillDisk(folder: string): () => void {
  const file = join(folder, "filling");
  const descriptor = openSync(file, "w");
  for (let bytes = 4096; bytes >= 1; ) {
    try {
      writeSync(descriptor, Buffer.alloc(bytes));
    } catch {
      bytes = Math.floor(bytes / 2);
    }
  }
  closeSync(descriptor);
  return () => rmSync(file);
}
