/**
 * Runs `test/smoke.test.ts`, with hooks, workers and commands as built, and an installation by npx, on the oldest Node,
 * 22 and 24.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { repository } from "../world/home.ts";
import { installNode } from "./install-node.ts";

for (const key of ["oldest", "22", "24"]) {
  const node = join(await installNode(key), "bin", "node");
  console.log(`── ${key}: ${node}`);
  for (const args of [
    ["--project", "unit", "test/smoke.test.ts"],
    ["test/packaging/packages.process.test.ts", "-t", "npx"],
  ]) {
    const { status } = spawnSync(node, ["node_modules/vitest/vitest.mjs", "run", ...args], {
      cwd: repository,
      stdio: "inherit",
    });
    if (status !== 0) process.exitCode = 1;
  }
}
