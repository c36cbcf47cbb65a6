import type { SettingsFile } from "../../core/agent-settings.ts";
import type { SettingsEditor } from "./editor.ts";
import { jsonEditor } from "./json/json-editor.ts";
import { tomlEditor } from "./toml/toml-editor.ts";

/** The editor of each shape of settings file. */
export const editors: Readonly<Record<SettingsFile["shape"], SettingsEditor>> = {
  wrapped: jsonEditor,
  bare: jsonEditor,
  flat: jsonEditor,
  tables: tomlEditor,
};
