import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { useCliHome } from "../world/cli-home.ts";
import { type HookResult, repository, run } from "../world/home.ts";
import { useStubPrograms } from "../world/stub-programs.ts";

const home = useCliHome();
const programs = useStubPrograms();
beforeEach(() => {
  home.config({
    notifiers: { none: { type: "command", run: ["true"], for: "person" } },
    delivery: { lingerSeconds: 0 },
  });
});

/** Runs `scripts/setup.mjs` with a stub of npm that installs the packages in dist/. */
function setup(...nodeOptions: readonly string[]): Promise<HookResult> {
  const env = { ...home.env, PATH: `${programs.folder}${delimiter}${home.env["PATH"]}` };
  return run(process.execPath, [...nodeOptions, join(repository, "scripts", "setup.mjs")], "", { env });
}

test("a successful setup hides npm's output and runs the installer", async () => {
  programs.add("npm", 'echo "added 164 packages"; echo "npm warn deprecated" >&2; echo "$*" >> "$0.calls"');
  const { exitCode, stdout, stderr } = await setup();
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/^Installing dependencies…\nBuilding…\n\n/);
  expect(stdout).not.toMatch(/npm warn|added/);
  expect(stdout).toMatch(/beckon \S+ is in ~\/\.beckon/);
  expect(existsSync(home.paths.launcher)).toBe(true);
  const calls = readFileSync(join(programs.folder, "npm.calls"), "utf8");
  expect(calls).toMatch(/^ci --ignore-scripts .*\nrun --silent build\n$/);
});

test("a failed npm is shown in full, with advice, and nothing is installed", async () => {
  programs.add("npm", 'echo "npm error code ECONNREFUSED" >&2; exit 7');
  const { exitCode, stdout, stderr } = await setup();
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "Installing dependencies…\n" });
  const failed = "Installing dependencies failed: `npm ci .*` ended with 7\\.";
  expect(stderr).toMatch(new RegExp(`^\nnpm error code ECONNREFUSED\n\n${failed}`));
  expect(stderr).toMatch(/npm ping.* Then run `npm run setup` again\.\n$/);
  expect(existsSync(home.paths.launcher)).toBe(false);
});

test("an old Node is refused before npm runs", async () => {
  programs.add("npm", 'echo "$*" >> "$0.calls"');
  const old = "Object.defineProperty(process.versions, 'node', { value: '20.18.9' })";
  const { exitCode, stdout, stderr } = await setup("--import", `data:text/javascript,${encodeURIComponent(old)}`);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(/^beckon needs Node 20\.19 or newer, .*\nInstall a newer one from https:\/\/nodejs\.org\.\n$/);
  expect(existsSync(join(programs.folder, "npm.calls"))).toBe(false);
});
