import { statSync } from "node:fs";

/** Returns a text that changes when a file's inode, modification time or size changes; `none` if there is no file. */
export function fileVersion(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : "none";
}
