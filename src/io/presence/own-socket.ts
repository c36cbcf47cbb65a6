import { lstatSync } from "node:fs";
import { quietly } from "../../core/quietly.ts";

/** Checks for a socket of this user at a path, not behind a link. @param others other accepted owners */
export function isOwnSocket(file: string, others: readonly number[] = []): boolean {
  const found = quietly(() => lstatSync(file));
  return found?.isSocket() === true && [process.getuid?.(), ...others].includes(found.uid);
}
