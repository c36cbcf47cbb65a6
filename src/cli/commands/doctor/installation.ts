import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseObject } from "../../../core/json-value.ts";
import { listSpoolFolders } from "../../../files/paths.ts";
import { readQuietly } from "../../../files/read-file.ts";
import { isMisplaced, misplacedFolder, modelessRoot, untrustedRoot } from "../../../files/root-access.ts";
import { versionIn } from "../../../installer/agents/program.ts";
import { cureForRelativeFolder, describeRelativeRoot } from "../../../installer/environment-warnings.ts";
import { compareVersions } from "../../../text/version.ts";
import { accessProblem } from "../../status/access-problem.ts";
import { cureForUnreadable, findUnreadable } from "../../status/unreadable.ts";
import { type Check, check, fail, ok, warn } from "./check.ts";

/** Checks that the installed app, which hooks and worker run, is the same build as the running program. */
const appCopy = check("app", ({ paths, packageRoot }) => {
  const installed = readVersion(paths.app);
  const current = readVersion(packageRoot);
  if (installed === undefined || current === undefined) return undefined; // other checks report what is missing
  const order = compareVersions(installed, current);
  if (order < 0) return warn(`${paths.app} is version ${installed}, this is ${current}`, "beckon upgrade");
  if (order > 0) {
    const cure = `Use ${join(paths.app, "dist", "cli.js")}, or update ${packageRoot}.`;
    return warn(`${paths.app} is version ${installed}, newer than this (${current})`, cure);
  }
  if (isSameBuild(paths.app, packageRoot)) return ok(`${paths.app} ${installed}`);
  return warn(`${paths.app} is a different build of ${installed} than ${packageRoot}`, "beckon upgrade");
});

/** Reads the version of the package in a folder; undefined if it is missing. */
export function readVersion(folder: string): string | undefined {
  const { version } = parseObject(readQuietly(join(folder, "package.json")) ?? "") ?? {};
  return typeof version === "string" ? versionIn(version) : undefined;
}

/** Tells if two builds are the same. Compares their entry files, which import chunks named by content hash. */
function isSameBuild(first: string, other: string): boolean {
  return ["worker-main.cjs", "cli.js"].every((program) => {
    const [left, right] = [first, other].map((folder) => readQuietly(join(folder, "dist", program), "latin1"));
    return left === undefined || right === undefined || left === right;
  });
}

/** Checks that beckon's folders exist, and that other users cannot access them or the configuration. */
export const folders = check("folders", ({ paths, environment }) => {
  const unused = untrustedRoot(paths);
  if (unused) return fail(`${unused.message}, so hooks and worker do not use ${paths.root}`, unused.cure);
  const misplaced = misplacedFolder(paths);
  if (misplaced) return fail(`${misplaced.message}: events are lost or wait`, misplaced.cure);
  if (isMisplaced(paths.app)) return fail(`${paths.app} must be a folder: events wait in the spool`, "beckon install");
  const required = [paths.root, paths.app, ...listSpoolFolders(paths)];
  const all = [...required, paths.journal, paths.state, paths.config];
  const missing = required.filter((path) => !existsSync(path));
  const modeless = modelessRoot(paths);
  const isPosix = environment.platform !== "win32";
  const found = isPosix && !modeless ? all.flatMap((path) => accessProblem(path) ?? []) : [];
  const problems = found.map(({ message, cure }) => fail(message, cure));
  if (modeless) problems.push(warn(modeless.message, modeless.cure));
  if (missing.length > 0) problems.unshift(fail(`missing: ${missing.join(", ")}`, "beckon install"));
  return problems.length > 0 ? problems : ok(`${paths.root} is complete and private`);
});

/** Checks that BECKON_HOME is an absolute path. */
const rootVariable = check("environment", ({ paths, environment }) => {
  const problem = describeRelativeRoot(environment, paths.root);
  return problem === undefined ? undefined : warn(problem, cureForRelativeFolder);
});

/** Checks that the user can read everything in beckon's folder and write the journal. */
const unreadable = check("files", ({ paths }) => {
  const found = findUnreadable(paths);
  return found.length === 0 ? undefined : fail(`cannot be read: ${found.join(", ")}`, cureForUnreadable(paths));
});

/** Checks that installation records are readable: uninstall needs them to restore a file's original bytes. */
const installRecords = check("install records", ({ installs: { problem }, paths }) => {
  if (!problem || isMisplaced(paths.state)) return undefined;
  const { file, message } = problem;
  return fail(
    message,
    `To continue without them: mv '${file}' '${file}.old'. beckon then recognizes its hooks by their command lines.`,
  );
});

/** Checks of the installed files in beckon's folder. */
export const installationChecks: readonly Check[] = [appCopy, rootVariable, folders, unreadable, installRecords];
