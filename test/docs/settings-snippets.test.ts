import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { settingsSnippets } from "../../src/docs/settings-snippets.ts";

test("templates/settings/ holds a snippet for each agent and nothing else", () => {
  const folder = join(import.meta.dirname, "..", "..", "templates", "settings");
  const paths = readdirSync(folder).map((name) => `templates/settings/${name}`);
  expect(paths.toSorted()).toEqual(Object.keys(settingsSnippets()).toSorted());
});
