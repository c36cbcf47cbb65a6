import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { compareVersions, versionIn } from "../../agents/versions.ts";
import { type Check, ok, warn } from "./check.ts";

const name = "app";

/** The copy that hooks and worker run is the one this command line belongs to. */
export const appCopy: Check = ({ paths, packageRoot }) => {
  const there = versionOf(paths.app);
  const here = versionOf(packageRoot);
  if (there === undefined || here === undefined) return []; // what is missing, other checks tell
  const order = compareVersions(there, here);
  if (order < 0) return [warn(name, `${paths.app} is ${there}, this is ${here}`, "beckon upgrade")];
  if (order > 0) {
    const cure = `Use ${join(paths.app, "dist", "cli.js")}, or update ${packageRoot}.`;
    return [warn(name, `${paths.app} is ${there}, newer than this (${here})`, cure)];
  }
  if (isSameBuild(paths.app, packageRoot)) return [ok(name, `${paths.app} ${there}`)];
  return [warn(name, `${paths.app} is another build of ${there} than ${packageRoot}`, "beckon upgrade")];
};

/** The version of the package in a folder, or undefined. */
export function versionOf(folder: string): string | undefined {
  const file = join(folder, "package.json");
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  try {
    const { version } = JSON.parse(readFileSync(file, "utf8")) as { version?: unknown };
    return typeof version === "string" ? versionIn(version) : undefined;
  } catch {
    return undefined; // torn: as good as none
  }
}

/** Chunks go by the hash of what is in them: the programs that name them tell all builds apart. */
function isSameBuild(one: string, other: string): boolean {
  return ["worker.js", "cli.js"].every((program) => {
    const [left, right] = [one, other].map((folder) => join(folder, "dist", program));
    const isThere = [left, right].every((file) => statSync(file ?? "", { throwIfNoEntry: false })?.isFile());
    return !isThere || readFileSync(left ?? "").equals(readFileSync(right ?? ""));
  });
}
