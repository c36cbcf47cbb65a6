import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runInstall } from "../../../../src/cli/commands/install/install.ts";
import { resolvePaths } from "../../../../src/files/paths.ts";
import { useCliHome } from "../../../world/cli-home.ts";
import { both, droid, installWorld, readExitCode } from "../../../world/install-world.ts";

test("a root with odd characters is quoted, and its hook runs", async () => {
  const world = installWorld({ files: both });
  const paths = resolvePaths(join(world.home, "it's $HOME `x` ü"));
  const { environment } = world.context;
  const env = { ...environment.env, BECKON_HOME: paths.root };
  const context = { ...world.context, paths, environment: { ...environment, env } };
  expect(await runInstall({ agents: ["droid"] }, context)).toBe(0);
  expect(world.output()).toMatch(/desk {2}sent/);
  expect(await runInstall({ agents: ["droid"] }, context)).toBe(0);
  expect(world.output()).toMatch(/Droid +up to date/);
});

test.each([[""], [".."]])("home/%s is not a valid root", async (path) => {
  const world = installWorld({ files: both });
  const context = { ...world.context, paths: resolvePaths(join(world.home, path)) };
  expect(await readExitCode(runInstall({ yes: true }, context), context)).toBe(1);
  expect(world.output()).toContain("needs its own folder");
  expect(readFileSync(world.at(droid), "utf8")).toBe(both[droid]);
});

test("a root that cannot be created is reported, and no settings file changes", async () => {
  const world = installWorld({ files: { ...both, file: "" } });
  const context = { ...world.context, paths: resolvePaths(world.at("file/root")) };
  expect(await readExitCode(runInstall({ yes: true }, context), context)).toBe(1);
  expect(world.output()).toContain("/file must be a folder");
  expect(readFileSync(world.at(droid), "utf8")).toBe(both[droid]);
});

test("a package that was not built changes nothing", async () => {
  const world = installWorld({ files: both });
  const context = { ...world.context, packageRoot: dirname(world.packageRoot) };
  expect(await readExitCode(runInstall({ yes: true }, context), context)).toBe(1);
  expect(world.output()).toContain("npm run build");
  expect(existsSync(context.paths.root)).toBe(false);
});

const home = useCliHome();

/** Makes the install record unreadable. */
function breakRecord(): void {
  home.write(join(home.paths.state, "installs", `${"0".repeat(32)}.json`), "{");
}

test.each([
  { line: "install --agent nope", exitCode: 2, words: 'unknown agent "nope"' },
  { line: "install --agent droid --events Nope", exitCode: 2, words: 'unknown event "Nope"' },
  { line: "install --wait 1.5", exitCode: 2, words: "--wait must be a whole number of seconds" },
  { line: "uninstall --agent nope", exitCode: 2, words: 'unknown agent "nope"' },
  { line: "install --yes", exitCode: 1, words: "this install record cannot be read" },
  { line: "uninstall", exitCode: 1, words: "this install record cannot be read" },
])("`$line` gives its reason on standard error, exit code $exitCode", async ({ line, exitCode, words }) => {
  breakRecord();
  const result = await home.start(line.split(" "));
  expect({ ...result, stderr: "" }).toEqual({ exitCode, stdout: "", stderr: "" });
  expect(result.stderr).toMatch(/^beckon: /);
  expect(result.stderr).toContain(words);
});

test("the reason for which `upgrade --json` fails is not in its output", async () => {
  home.write(join(home.paths.app, "package.json"), '{ "version": "0.0.1" }');
  breakRecord();
  const stderr = expect.stringContaining("this install record cannot be read");
  expect(await home.start(["upgrade", "--json"])).toMatchObject({ exitCode: 1, stdout: "", stderr });
});
