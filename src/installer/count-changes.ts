import { isBeckonCommand } from "./beckon-commands.ts";
import { editors } from "./editors/registry.ts";
import { type Content, decodeSettings, isBlank } from "./files/settings-text.ts";
import type { Plan, SettingsTask } from "./plan-file.ts";

/** How many of beckon's hooks a plan adds to a file, removes from it and alters in it. */
export interface ChangeCounts {
  readonly added: number;
  readonly removed: number;
  readonly updated: number;
}

/** Counts what a plan does to beckon's hooks in a file. @throws {SettingsError} for a file that cannot be read */
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

  /** Beckon's hooks by their event, as a text to compare. */
  function hooksIn(content: Content): Map<string, string> {
    const source = content && decodeSettings(file.path, content);
    if (!source || isBlank(source)) return new Map();
    const listed = editors[file.shape].list({ ...file, text: source.text });
    const ours = listed.filter(({ command }) => isBeckonCommand(beckonCommands, command));
    return new Map(ours.map((entry) => [entry.event, JSON.stringify(entry)]));
  }
}
