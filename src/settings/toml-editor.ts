import { jsonEditor } from "./json-editor.ts";
export const tomlEditor = jsonEditor;
