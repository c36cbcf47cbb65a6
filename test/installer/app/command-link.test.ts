import { existsSync, lstatSync, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInstall } from "../../../src/cli/commands/install/install.ts";
import { runUninstall } from "../../../src/cli/commands/uninstall.ts";
import { both, installWorld } from "../../world/install-world.ts";

function world(isInteractive: boolean, folders: readonly string[], home?: ReturnType<typeof installWorld>) {
  const made = home ?? installWorld({ files: both });
  const path = ["/usr/bin", "/bin", ...folders.map((folder) => made.at(folder))].join(":");
  const environment = { ...made.context.environment, env: { PATH: path, HOME: made.home } };
  return { ...made, context: { ...made.context, isInteractive, environment } };
}

test("beckon is linked into the first user-owned folder on PATH if missing there, with agreement", async () => {
  const { context, at, output } = world(true, ["taken", ".local/bin", "bin"]);
  mkdirSync(at("taken"));
  symlinkSync("/nowhere", at("taken/beckon"));
  mkdirSync(at(".local"));
  expect(await runInstall({}, context)).toBe(0);
  expect(readlinkSync(at(".local/bin/beckon"))).toBe(join(context.paths.app, "dist", "cli.js"));
  expect(output()).toContain("Linked ~/.local/bin/beckon");
  expect(await runUninstall({ purge: true, yes: true }, context)).toBe(0);
  expect(existsSync(at(".local/bin/beckon"))).toBe(false);
  expect(lstatSync(at("taken/beckon")).isSymbolicLink()).toBe(true);
});

test.each([
  ["the user declines", true, [".local/bin"]],
  ["there is no suitable folder", true, []],
  ["no one can be asked", false, [".local/bin"]],
])("if %s, the working form is printed", async (_, isInteractive, folders) => {
  const { context, at, output } = world(isInteractive, folders);
  expect(await runInstall({ unattended: true }, { ...context, ask: async () => false })).toBe(0);
  expect(existsSync(at(".local/bin/beckon"))).toBe(false);
  expect(output()).toContain("Instead of `beckon …`, run: ~/.beckon/app/dist/cli.js …");
});
