import type {
  Edited,
  EditRequest,
  InstallEdit,
  ListedEntry,
  SettingsEditor,
  SettingsSource,
  WantedEntry,
} from "../installer/editors/editor.ts";
import type { OwnCommands } from "../installer/beckon-commands.ts";

/** What installing and removing need to know of a file that has been read, whatever its format. */
export interface EntryTree<Entry extends ListedEntry> {
  readonly file: string;
  readonly text: string;
  readonly entries: readonly Entry[];
}

/** How one format is read and changed by one step. Each step gives a text, which is read anew: offsets never go stale. */
export interface EntryFormat<Entry extends ListedEntry, Tree extends EntryTree<Entry>>
  extends Pick<SettingsEditor, "blank" | "members" | "traits"> {
  /** @throws {SettingsError} for a file that cannot be edited safely */
  read(source: SettingsSource): Tree;
  /** The text with one more entry, behind all others of the event. */
  add(tree: Tree, event: string, wanted: WantedEntry, request: InstallEdit): string;
  /** The text with an entry's command line or timeout replaced, and nothing else. */
  update(tree: Tree, entry: Entry, change: { readonly command?: string; readonly timeout?: number }): string;
  /** The text without an entry, and without the containers that hold nothing else and may go. */
  remove(tree: Tree, entry: Entry, request: EditRequest): string;
  /**
   * Proves that nothing but entries of ours differs, and says what else became of the file.
   * @param preamble names of top-level members that may come and go with them
   * @throws {SettingsError}
   */
  prove(before: Tree, after: Tree, own: OwnCommands, preamble: readonly string[]): Pick<Edited, "created" | "empty">;
}
