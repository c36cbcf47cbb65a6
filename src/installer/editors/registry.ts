import type { SettingsFile } from "../../core/agent-settings.ts";
import type { SettingsEditor } from "./editor.ts";
import { jsonEditor } from "./json/json-editor.ts";
import { moduleEditor, scriptEditor } from "./own-editor.ts";
import { localServerEditor, serverEditor, serverTableEditor } from "./server-editors.ts";
import { tomlEditor } from "./toml-editor.ts";

/** Editors by shape of the settings file. */
export const editors: Readonly<Record<SettingsFile["shape"], SettingsEditor>> = {
  wrapped: jsonEditor,
  bare: jsonEditor,
  flat: jsonEditor,
  named: jsonEditor,
  tables: tomlEditor,
  module: moduleEditor,
  script: scriptEditor,
  servers: serverEditor,
  "local-servers": localServerEditor,
  "server-tables": serverTableEditor,
};
