import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { repository } from "../world/home.ts";

/** Parts of this repository that the checks need. */
const parts = ["dist", "templates", "package.json", "node_modules/node-notifier", "test/fixtures/payloads/claude"];

/** Path of the checks' program in a staged folder. All checks are in this one file. */
export const checksProgram = "test/platforms/checks.mjs";

/** Copies the parts that the checks need into a folder that does not exist yet; every platform gets it read-only. */
export async function stage(folder: string): Promise<void> {
  for (const part of parts) cpSync(join(repository, part), join(folder, part), { recursive: true });
  cpSync("/bin/bash", join(folder, "bash")); // for the checks alone: no root has it on PATH
  mkdirSync(join(folder, "test/platforms"), { recursive: true });
  await build({
    entryPoints: [join(import.meta.dirname, "inside", "run.ts")],
    outfile: join(folder, checksProgram),
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "warning",
  });
}
