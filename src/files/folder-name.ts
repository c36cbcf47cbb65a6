/**
 * Last part of a folder's path: `/home/me/shop` → `shop`. Also of a path on Windows, which an agent in WSL may name; a
 * root keeps its own name.
 */
export function folderName(path: string): string {
  const separator = /^[A-Za-z]:[\\/]|^\\\\/.test(path) ? /[\\/]+/ : /\/+/;
  return path.split(separator).findLast((part) => part !== "") ?? path;
}
