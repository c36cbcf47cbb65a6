import { constants, openSync } from "node:fs";

/**
 * Opens a file to read it, without waiting for the other end of a pipe; undefined where it is not there, or not
 * readable.
 */
export function openQuietly(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}
