import { isBeckonCommand } from "./beckon-commands.ts";
import { editors } from "./editors/registry.ts";
import { type Content, decodeSettings, isBlank } from "./files/read-settings-file.ts";
import type { Plan, SettingsTask } from "./plan-file.ts";

/** Numbers of hooks that a plan adds, removes and updates in a file. */
export interface ChangeCounts {
  readonly added: number;
  readonly removed: number;
  readonly updated: number;
}

/** Counts a plan's changes to beckon's hooks in a file. @throws {SettingsError} for an unreadable file */
export function countChanges({ file, beckonCommands }: SettingsTask, { before, after }: Plan): ChangeCounts {
  const [old, next] = [before, after].map((content) => hooksIn(content));
  const events = [...new Set([...(old?.keys() ?? []), ...(next?.keys() ?? [])])];
  const count = (isCounted: (was: string | undefined, is: string | undefined) => boolean): number =>
    events.filter((event) => isCounted(old?.get(event), next?.get(event))).length;
  return {
    added: count((was) => was === undefined),
    removed: count((_, is) => is === undefined),
    updated: count((was, is) => was !== undefined && is !== undefined && was !== is),
  };

  /** Formats beckon's hooks by event, for comparison. */
  function hooksIn(content: Content): Map<string, string> {
    const source = content && decodeSettings(file.path, content);
    if (!source || isBlank(source)) return new Map();
    const listed = editors[file.shape].list({ ...file, text: source.text });
    const ours = listed.filter(({ command }) => isBeckonCommand(beckonCommands, command));
    return new Map(ours.map((entry) => [entry.event, JSON.stringify(entry)]));
  }
}
