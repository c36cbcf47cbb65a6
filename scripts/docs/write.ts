/**
 * Program for `npm run docs`: writes all generated files. With `--check`, writes nothing, lists the stale files, and
 * exits with 1 if there are any.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedFiles } from "./generated-files.ts";

const root = join(import.meta.dirname, "..", "..");
const isCheck = process.argv.includes("--check");

for (const [file, text] of Object.entries(await generatedFiles(root))) {
  const path = join(root, file);
  const isFresh = existsSync(path) && readFileSync(path, "utf8") === text;
  if (isCheck) console.log(`${isFresh ? "fresh" : "STALE"}  ${file}`);
  if (isCheck && !isFresh) process.exitCode = 1;
  if (!isCheck && !isFresh) writeFileSync(path, text);
}
