import { readFileSync } from "node:fs";
import { findUp } from "../../files/paths.ts";

/** Returns a JavaScript module from `templates/agents/` with an agent's command lines, by event. */
export function fillModule(name: string, commands: Readonly<Record<string, string>>): string {
  const path = findUp(import.meta.url, `templates/agents/${name}`);
  if (path === undefined) throw new Error(`beckon's file templates/agents/${name} is missing`);
  const filled = `const commands = ${JSON.stringify(commands, null, 2)};`;
  return readFileSync(path, "utf8").replace(/^const commands = \{\};$/m, () => filled);
}
