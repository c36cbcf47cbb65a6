import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Finds a file of beckon's package: the first of `candidates` (relative paths) that exists in the module's folder or in
 * a folder above it, up to the package's root; else undefined. Works for source files and for chunks in `dist/`.
 * @param moduleUrl the caller's `import.meta.url`
 */
export function findUp(moduleUrl: string, ...candidates: string[]): string | undefined {
  for (let folder = dirname(fileURLToPath(moduleUrl)); ; folder = dirname(folder)) {
    const found = candidates.map((candidate) => join(folder, candidate)).find((path) => existsSync(path));
    if (found !== undefined) return found;
    if (existsSync(join(folder, "package.json")) || folder === dirname(folder)) return undefined;
  }
}
