/**
 * Returns the last part of a folder's path: `/home/me/shop` → `shop`. Also accepts Windows paths, which an agent in WSL
 * may use. A root keeps its own name.
 */
export function folderName(path: string): string {
  const separator = /^[A-Za-z]:[\\/]|^\\\\/.test(path) ? /[\\/]+/ : /\/+/;
  return path.split(separator).findLast((part) => part !== "") ?? path;
}
