import { lstatSync } from "node:fs";

/**
 * Whether there is a socket at this path, not behind a link, that this user made.
 * @param others users whose socket it may be as well
 */
export function isOwnSocket(file: string, others: readonly number[] = []): boolean {
  try {
    const found = lstatSync(file);
    return found.isSocket() && [process.getuid?.(), ...others].includes(found.uid);
  } catch {
    return false;
  }
}
