import { statSync } from "node:fs";

/** A text that changes with a file's content, as far as inode, time and size tell; `none` where there is no file. */
export function fileVersion(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : "none";
}
