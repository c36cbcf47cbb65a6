import { type FSWatcher, watch } from "node:fs";
import { quietly } from "../core/quietly.ts";
import type { Paths } from "../files/paths.ts";

/** Follows the folder of asks. Keeps the names of changed files, even if another program has removed them since. */
export class AskFolderWatch {
  readonly #folder: string;
  readonly #wake: () => void;
  readonly #names = new Set<string>();
  #watcher: FSWatcher | undefined;

  /** @param wake called after each change */
  constructor({ asks }: Pick<Paths, "asks">, wake: () => void) {
    this.#folder = asks;
    this.#wake = wake;
  }

  /** Starts to follow the folder, unless it is followed already or cannot be. */
  follow(): void {
    this.#watcher ??= quietly(() =>
      watch(this.#folder, { persistent: false }, (_, name) => this.#note(name)).on("error", () => this.close()),
    );
  }

  /** Returns the names of the files that have changed since the last call. */
  takeNames(): readonly string[] {
    const names = [...this.#names];
    this.#names.clear();
    return names;
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #note(name: string | null): void {
    if (name !== null) this.#names.add(name);
    this.#wake();
  }
}
