import { readFileSync } from "node:fs";
import { CommandError } from "../../core/errors.ts";
import { findUp } from "../../files/find-up.ts";

/** Reads a file in `templates/`. @throws {CommandError} if it is missing */
export function readTemplate(name: string): Buffer {
  const file = findUp(import.meta.url, `templates/${name}`);
  if (file !== undefined) return readFileSync(file);
  throw new CommandError(`beckon's template ${name} is missing`, "To install it again: beckon install");
}
