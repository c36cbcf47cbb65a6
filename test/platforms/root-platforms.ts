import { existsSync } from "node:fs";
import { join } from "node:path";
import { namespaceObstacle } from "../world/namespaces.ts";
import { runInRoot } from "./enter-root.ts";
import type { CheckResult } from "./inside/result.ts";
import { makeRoot, missingPrograms } from "./make-root.ts";
import { type Platform, readResults, type World } from "./platform.ts";
import { type Root, roots } from "./roots.ts";
import { checksProgram } from "./stage.ts";

const maxSeconds = 280;

/** The roots as platforms. */
export const rootPlatforms: readonly Platform[] = roots.map((root) => ({
  name: root.name,
  standsFor: root.standsFor,
  missing: () => namespaceObstacle() ?? missingPrograms(root),
  check: (world) => runChecks(root, world, "check"),
  measure: (world) => runChecks(root, world, "measure"),
}));

async function runChecks(root: Root, { folder, ...world }: World, phase: string): Promise<readonly CheckResult[]> {
  const own = join(folder, "root");
  const sh = (root.name === "macos" && world.bash) || root.sh;
  if (!existsSync(own)) makeRoot({ ...root, sh }, own);
  const streams = { stdout: join(folder, `${phase}.jsonl`), stderr: join(folder, `${phase}.txt`) };
  const entry = { folder: own, node: await world.nodeOf(root.node), beckon: world.beckon, ...streams };
  const args = [`/opt/beckon/${checksProgram}`, phase, root.name, world.checks];
  return readResults(streams, await runInRoot(root, entry, args, maxSeconds));
}
