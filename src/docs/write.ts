/** Writes what is generated: the tables of README and docs/, and templates/config.schema.json. With `--check` it only compares. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configJsonSchema } from "../config/json-schema.ts";
import { documentBlocks } from "./blocks.ts";
import { fillBlocks } from "./generated-files.ts";

const root = join(import.meta.dirname, "..", "..");
const documents = ["README.md", "docs/notifiers.md"].map((name) => join(root, name));
const schema = join(root, "templates", "config.schema.json");

const wanted: readonly (readonly [string, string])[] = [
  ...fillBlocks(
    documents.map((file) => readFileSync(file, "utf8")),
    await documentBlocks(),
  ).map((text, index): [string, string] => [documents[index] ?? "", text]),
  [schema, `${JSON.stringify(await configJsonSchema(), undefined, 2)}\n`],
];
for (const [file, text] of wanted) {
  const isFresh = readQuietly(file) === text;
  if (process.argv.includes("--check")) {
    console.log(`${isFresh ? "fresh" : "STALE"}  ${file}`);
    if (!isFresh) process.exitCode = 1;
  } else if (!isFresh) writeFileSync(file, text);
}

function readQuietly(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // not there yet
  }
}
