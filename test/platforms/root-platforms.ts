import { existsSync } from "node:fs";
import { namespaceObstacle } from "../world/namespaces.ts";
import { rootFolder, runInRoot } from "./enter-root.ts";
import { makeRoot, missingPrograms } from "./make-root.ts";
import type { Platform, World } from "./platform.ts";
import { type Root, roots } from "./roots.ts";

/** The roots as platforms. */
export const rootPlatforms: readonly Platform[] = roots.map((root) => ({
  name: root.name,
  standsFor: root.standsFor,
  missing: () => namespaceObstacle() ?? missingPrograms(root),
  check: (world) => runChecks(root, world, "check"),
  measure: (world) => runChecks(root, world, "measure"),
}));

function runChecks(root: Root, world: World, phase: string) {
  const own = rootFolder(world);
  const sh = (root.name === "macos" && world.bash) || root.sh;
  if (!existsSync(own)) makeRoot({ ...root, sh }, own);
  return runInRoot(root, world, { phase, argument: world.checks, maxSeconds: 280 });
}
