import type { SettingsFile } from "../core/agent.ts";
import type { SettingsEditor } from "./editor.ts";
import { groupsEditor } from "./groups.ts";

/** Who edits which kind of settings file. */
export const editors: Readonly<Record<SettingsFile["shape"], SettingsEditor>> = {
  wrapped: groupsEditor,
  bare: groupsEditor,
  flat: groupsEditor,
  tables: groupsEditor,
};
