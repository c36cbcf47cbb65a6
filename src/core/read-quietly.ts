import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from "node:fs";

/**
 * The text of a regular file; undefined if there is none, or it cannot be read. Where a pipe or a device has its name,
 * it does not wait for one either.
 */
export function readQuietly(file: string, encoding: BufferEncoding = "utf8"): string | undefined {
  if (!existsSync(file)) return undefined; // a tenth of what an error costs, and half of the state files are missing
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK); // the flag is 0 on Windows
    return fstatSync(descriptor).isFile() ? readFileSync(descriptor, encoding) : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
