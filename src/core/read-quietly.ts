import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/**
 * The text of a regular file; undefined if there is none, or it cannot be read. Where a pipe or a device has its name,
 * it does not wait for one either.
 */
export function readQuietly(file: string, encoding: BufferEncoding = "utf8"): string | undefined {
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
