import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keys } from "../../../../../src/fake-service/access.ts";
import { builtCli, createCliHome } from "../../../../world/cli-home.ts";
import { startSandbox } from "../../../../world/service/server.ts";

/** Lists the built files that are loaded before a command is known: a file's static imports, and their imports. */
function loadedAtOnce(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, path = ""] of text.matchAll(/\b(?:import|from) ?"(\.[^"]+)"/g))
    loadedAtOnce(join(dirname(file), path), seen);
  return seen;
}

test("the built command line writes the page", async () => {
  const sandbox = await startSandbox({ sizes: { users: 20 } });
  const home = createCliHome();
  onTestFinished(async () => {
    home.remove();
    await sandbox.close();
  });
  const env = { BECKON_BASE_URL: sandbox.baseUrl, BECKON_API_KEY: keys.owner };
  const { exitCode, stdout, stderr } = await home.start(["service", "report", "--since", "3d", "--out", "-"], env);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/^<!doctype html>.*<style>:root \{.*data-mark="0:0".*<\/html>\n$/s);
});

test("no other command loads the chart library", () => {
  const [, main = ""] = /import\("(\.[^"]+)"\)/.exec(readFileSync(builtCli, "utf8")) ?? []; // all but --version
  const loaded = [...loadedAtOnce(join(dirname(builtCli), main))];
  expect(loaded.length).toBeGreaterThan(3);
  const heavy = loaded.filter((file) => readFileSync(file, "utf8").includes("zrender"));
  expect(heavy).toEqual([]);
});
