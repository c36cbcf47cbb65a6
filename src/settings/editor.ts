import type { SettingsFile } from "../core/agent.ts";
import type { OwnCommands } from "./own.ts";
import type { JsonPath } from "./path.ts";

/** One hook to be registered. */
export interface WantedEntry {
  readonly command: string;
  /** In the agent's own unit. */
  readonly timeout: number;
  /** A user's own shorter timeout is raised to this; in the agent's unit. */
  readonly leastTimeout: number;
}

/** What an editor gets to see. `text` has no byte-order mark and is never blank. */
export interface EditRequest {
  readonly file: string;
  readonly text: string;
  readonly shape: SettingsFile["shape"];
  readonly own: OwnCommands;
  /** Whether an emptied container may be removed with the last entry of ours. */
  droppable(path: JsonPath): boolean;
}

export interface InstallEdit extends EditRequest {
  /** By the agent's own event name. */
  readonly wanted: ReadonlyMap<string, WantedEntry>;
  /** What an earlier install wrote; tells a timeout of ours from one the user chose. */
  readonly previous: Readonly<Record<string, { readonly command: string; readonly timeout: number }>>;
}

export interface Edited {
  readonly text: string;
  /** Containers that were not there before. */
  readonly created: readonly JsonPath[];
  /** The file holds no entry and no comment any more. */
  readonly empty: boolean;
}

/**
 * Edits one family of settings files. Text in, text out; touches nothing but our own entries and proves it before it
 * answers. Other families (flat arrays, TOML) are further editors.
 */
export interface SettingsEditor {
  /** Exactly one entry per wanted event; the user's own matcher and timeout stay. @throws {SettingsError} */
  install(request: InstallEdit): Edited;
  /** No entry of ours. @throws {SettingsError} */
  remove(request: EditRequest): Edited;
  /** The entries that are there, ours and others'. @throws {SettingsError} */
  list(request: Pick<EditRequest, "file" | "text" | "shape">): readonly ListedEntry[];
}

export interface ListedEntry {
  readonly event: string;
  readonly command: string;
  readonly timeout?: number;
}
