import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliHome, createCliHome } from "../../../world/cli-home.ts";
import { installHealthy, problemsIn, runChecks } from "../../../world/doctor-home.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
  installHealthy(home);
});
afterEach(() => home.remove());

const setVersion = (version: string) =>
  writeFileSync(join(home.paths.app, "package.json"), JSON.stringify({ name: "beckon", version }));

test.each<[string, () => void, RegExp]>([
  [
    "a folder is missing",
    () => rmSync(join(home.paths.spool, "cur"), { recursive: true }),
    /^fail folders: missing: .*cur \| beckon install$/,
  ],
  [
    "a folder is open to others",
    () => chmodSync(home.paths.spool, 0o755),
    /^fail folders: .*spool is open to other users \| chmod 700 .*spool$/,
  ],
  [
    "the configuration is open to others",
    () => chmodSync(home.paths.config, 0o644),
    /^fail folders: .*config\.jsonc is open to other users \| chmod 600 /,
  ],
  [
    "the installed copy is older than this package",
    () => setVersion("0.0.9"),
    /^warn app: .*app is version 0\.0\.9, this is \d.* \| beckon upgrade$/,
  ],
  [
    "the installed copy is newer than this package",
    () => setVersion("99.0.0"),
    /^warn app: .*app is version 99\.0\.0, newer than this .* \| Use .*app\/dist\/cli\.js, or update /,
  ],
  [
    "the installed copy is another build of the same version",
    () => writeFileSync(join(home.paths.app, "dist", "cli.js"), "// another"),
    /^warn app: .* is a different build of \d.* \| beckon upgrade$/,
  ],
])("a check reports that %s", async (_, make, expected) => {
  make();
  expect(problemsIn((await runChecks(home)).results)).toEqual([expect.stringMatching(expected)]);
});
