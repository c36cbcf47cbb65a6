import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runInstall } from "../../../../src/cli/commands/install/install.ts";
import { resolvePaths } from "../../../../src/files/paths.ts";
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
