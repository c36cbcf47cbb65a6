import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { spoolFolders } from "../../spool/put.ts";
import { type Check, type CheckResult, fail, ok } from "../commands/doctor/check.ts";

/** beckon's folders are there, belong to the user and are open to nobody else; likewise the configuration. */
export const folders: Check = ({ paths, place }) => {
  const inSpool = spoolFolders.map((folder) => join(paths.spool, folder));
  const required = [paths.root, paths.app, paths.spool, ...inSpool];
  const all = [...required, paths.journal, paths.state, paths.config];
  const missing = required.filter((path) => !existsSync(path));
  const problems = [
    ...(missing.length > 0 ? [fail("folders", `missing: ${missing.join(", ")}`, "beckon install")] : []),
    ...(place.platform === "win32" ? [] : all.flatMap(openToOthers)),
  ];
  return problems.length > 0 ? problems : [ok("folders", `${paths.root}: there, yours, private`)];
};

function openToOthers(path: string): CheckResult[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  if (stats.uid !== process.getuid?.()) {
    return [fail("folders", `${path} belongs to another user`, "Move it away, then: beckon install")];
  }
  if ((stats.mode & 0o077) === 0) return [];
  return [fail("folders", `${path} is open to other users`, `chmod ${stats.isDirectory() ? 700 : 600} ${path}`)];
}
