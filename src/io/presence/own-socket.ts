import { lstatSync } from "node:fs";
import { quietly } from "../../core/quietly.ts";

/**
 * Whether there is a socket at this path, not behind a link, that this user made.
 * @param others users whose socket it may be as well
 */
export function isOwnSocket(file: string, others: readonly number[] = []): boolean {
  const found = quietly(() => lstatSync(file));
  return found?.isSocket() === true && [process.getuid?.(), ...others].includes(found.uid);
}
