import { basename, extname } from "node:path";
import { SettingsError } from "../../../core/errors.ts";
import { parseObject } from "../../../core/json-value.ts";
import type { InstallEdit, ListedEntry, SettingsEditor, SettingsSource } from "../editor.ts";
import { readAuthorship, seal } from "./seal.ts";

/** Editor of JavaScript modules that only beckon writes. */
export const moduleEditor = ownEditor("//", ({ text }) => {
  const [, commands = ""] = /^const commands = (\{[\s\S]*?\});$/m.exec(text.replaceAll("\r\n", "\n")) ?? [];
  return Object.entries(parseObject(commands) ?? {}).map(([event, command]) => ({ event, command: String(command) }));
});

/** Editor of shell scripts that only beckon writes, one for each event. */
export const scriptEditor = ownEditor("#", ({ path, text }) => [
  { event: scriptEvent(path), command: text.trimEnd().split(/\r?\n/).at(-1) ?? "" },
]);

/** Returns the event that runs a script: the name of the file. */
export function scriptEvent(path: string): string {
  return basename(path, extname(path));
}

function ownEditor(comment: "//" | "#", list: (source: SettingsSource) => readonly ListedEntry[]): SettingsEditor {
  return {
    blank: "",
    list: (source) => (readAuthorship(source.text) === "foreign" ? [] : list(source)),
    install({ path, text, wanted, ownText }: InstallEdit) {
      if (text !== "") refuseOthersText(path, text);
      if (!ownText) throw new Error(`no text for ${path}`);
      const commands = Object.fromEntries([...wanted].map(([event, { command }]) => [event, command]));
      return { text: seal(ownText(commands), comment), created: [], empty: false };
    },
    remove({ path, text }) {
      if (readAuthorship(text) === "foreign") return { text, created: [], empty: false };
      refuseOthersText(path, text);
      return { text: "", created: [], empty: true };
    },
    members: () => ({}),
    read: () => ({ value: undefined, locate: () => ({}) }),
    traits: () => [],
  };
}

/** Refuses a text that beckon did not write. @throws {SettingsError} `settings.foreign`, `settings.edited` */
function refuseOthersText(path: string, text: string): void {
  const authorship = readAuthorship(text);
  if (authorship === "foreign") {
    const hint = "Rename it, then try again. Nothing was changed.";
    throw new SettingsError("settings.foreign", path, "beckon did not write this file", hint);
  }
  if (authorship === "edited") {
    const hint = "Move your changes to another file and delete this one, then try again. Nothing was changed.";
    throw new SettingsError("settings.edited", path, "edited after beckon wrote it", hint);
  }
}
