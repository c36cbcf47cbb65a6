import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, onTestFinished } from "vitest";

/** Makes an empty folder that is removed when the requesting test, or the test of its `beforeEach`, has ended. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "beckon-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Gives each test of a file or a `describe` block a new folder. Returns the path of the folder, or of a file in it. */
export function useFolder(): (...names: readonly string[]) => string {
  let folder = "";
  beforeEach(() => {
    folder = freshFolder();
  });
  return (...names) => join(folder, ...names);
}
