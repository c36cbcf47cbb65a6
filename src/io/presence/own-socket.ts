import { lstatSync } from "node:fs";
import { quietly } from "../../core/quietly.ts";

/**
 * Checks that a path is a socket of this user and not a symbolic link.
 * @param others user ids of other accepted owners
 */
export function isOwnSocket(file: string, others: readonly number[] = []): boolean {
  const found = quietly(() => lstatSync(file));
  return found?.isSocket() === true && [process.getuid?.(), ...others].includes(found.uid);
}
