import { SettingsError } from "../../../core/errors.ts";
import { type BeckonCommands, isBeckonCommand } from "../../beckon-commands.ts";
import type { InstallEdit } from "../editor.ts";

/** Name of beckon's server in an agent's settings. */
export const serverName = "beckon";

/** Joins a server's program and arguments, as install records keep them. */
export function joinWords(words: readonly string[]): string {
  return words.join(" ");
}

/** Tells if a server's command line is beckon's. */
export function isOwnServer(commands: BeckonCommands, command: string): boolean {
  return isBeckonCommand(commands, command);
}

/** Returns the program and arguments of the server to write. */
export function readWanted({ wanted }: Pick<InstallEdit, "wanted">) {
  const { words = [] } = wanted.get(serverName) ?? {};
  return { words, command: joinWords(words) };
}

/** Creates the error for a server of the same name that is not beckon's. */
export function refuseTaken(path: string): SettingsError {
  const hint = "Rename that server, then try again. Nothing was changed.";
  return new SettingsError("settings.taken", path, `it has another server called ${serverName}`, hint);
}
