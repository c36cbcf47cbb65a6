import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Makes an empty folder that is removed when the requesting test, or the test of its `beforeEach`, has ended. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "beckon-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
