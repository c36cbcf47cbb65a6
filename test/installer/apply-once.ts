/** Child process of the crash and race tests: runs one `install` or `uninstall` of the named specimen. */

import { resolvePaths } from "../../src/files/paths.ts";
import { applyInstall, applyUninstall } from "../../src/installer/apply.ts";
import { findSpecimen, taskFor } from "./settings-specimens.ts";

const [action, root = "", path = "", name = "some-wrapped"] = process.argv.slice(2);
const { task } = taskFor(findSpecimen(name));
const here = { ...task, file: { ...task.file, path } };
try {
  if (action === "uninstall") await applyUninstall(resolvePaths(root), here);
  else await applyInstall(resolvePaths(root), here);
} catch (error) {
  console.error(String((error as { code?: unknown }).code), String(error));
  process.exitCode = 1;
}
