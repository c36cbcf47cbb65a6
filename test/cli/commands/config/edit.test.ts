import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useCliHome } from "../../../world/cli-home.ts";

const home = useCliHome();

/** An editor that saves a text, given as a command line with an argument. */
function editor(text: string): string {
  const saved = home.write(join(home.home, "saved"), text);
  return `${home.write(join(home.home, "my editor"), '#!/bin/sh\ncat "$1" >"$2"\n', 0o700).replace(" ", "\\ ")} ${saved}`;
}

test("a missing file is created, opened in $EDITOR, and checked once it is saved", async () => {
  const { exitCode, stdout } = await home.start(["config", "edit"], { EDITOR: editor('{ "language": "en" }') });
  expect(exitCode).toBe(0);
  expect(stdout).toContain("✓ no problems found");
  expect(readFileSync(home.paths.config, "utf8")).toBe('{ "language": "en" }');
});

test("errors are shown with their positions, exit code 1; $VISUAL comes first", async () => {
  const env = { EDITOR: "false", VISUAL: editor('{ "notifiers": { "x": { "type": "slak" } } }') };
  const { exitCode, stdout } = await home.start(["config", "edit"], env);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /config\.jsonc:1:\d+ error notifiers\.x\.type: must be a type of notifier\n {2}Did you mean `slack`\?/,
  );
});

test("a failing editor is reported with advice", async () => {
  const { exitCode, stderr } = await home.start(["config", "edit"], { EDITOR: "false" });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/the editor exited with code 1\n.*Set \$EDITOR/);
});
