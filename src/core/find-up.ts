import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The first of `candidates` (paths relative to a folder) that exists beside a module or in a folder above it, up to the
 * root of its package, or undefined. Finds beckon's own files alike from the source, from `dist/` and from its chunks,
 * and never what others put above them.
 * @param moduleUrl the caller's `import.meta.url`
 */
export function findUp(moduleUrl: string, ...candidates: string[]): string | undefined {
  for (let folder = dirname(fileURLToPath(moduleUrl)); ; folder = dirname(folder)) {
    const found = candidates.map((candidate) => join(folder, candidate)).find((path) => existsSync(path));
    if (found !== undefined) return found;
    if (existsSync(join(folder, "package.json")) || folder === dirname(folder)) return undefined;
  }
}
