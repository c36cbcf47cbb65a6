import { lstatSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { sep } from "node:path";
import { quietly } from "../core/quietly.ts";
import type { Paths } from "./paths.ts";

/** Folders for temporary files. Sandboxes let an agent's commands write to them. */
const temporaryFolders = ["/tmp", "/var/tmp", "/dev/shm"] as const;

/**
 * Explains why an agent's sandboxed commands may be able to write to beckon's folder, and so could plant answers;
 * undefined if the folder is neither in a project nor among temporary files. Follows links.
 * @param projects absolute paths of the folders in which the agent works
 */
export function explainExposure({ root }: Pick<Paths, "root">, projects: readonly string[]): string | undefined {
  const place = findTarget(root);
  if (place === undefined) return "beckon's folder cannot be found";
  const isBelow = (folder: string): boolean => {
    const target = findTarget(folder);
    return target !== undefined && `${place}${sep}`.startsWith(target.endsWith(sep) ? target : target + sep);
  };
  if (projects.some(isBelow)) return "beckon's folder is in the project";
  return [...temporaryFolders, tmpdir()].some(isBelow) ? "beckon's folder is among temporary files" : undefined;
}

/** Tells if no worker can put an answer into the folder of answers. A missing folder will be made. */
export function isUnusableFolder(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return (
    stats !== undefined && !(stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid()))
  );
}

function findTarget(folder: string): string | undefined {
  return quietly(() => realpathSync(folder));
}
