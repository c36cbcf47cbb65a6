import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { repository } from "./home.ts";

export interface Source {
  /** Path relative to the repository, with slashes. */
  readonly file: string;
  readonly text: string;
}

/** Source files of the product: install.ts, hooks/ and src/. */
export const sources: readonly Source[] = [sourceAt("install.ts"), ...["hooks", "src"].flatMap(filesBelow)];

/** Reads every TypeScript file below a folder of the repository. */
export function filesBelow(folder: string): Source[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => sourceAt(posix.join(folder, file.replaceAll("\\", "/"))));
}

function sourceAt(file: string): Source {
  return { file, text: readFileSync(join(repository, file), "utf8") };
}

/** Reads the lines of a fixture, without titles. `\n` in a line is a line's end. */
export function readFixtureLines(path: string): string[] {
  const lines = readFileSync(join(repository, "test", "fixtures", path), "utf8").split("\n");
  const isSample = (line: string) => line !== "" && !line.startsWith("# ");
  return lines.filter(isSample).map((line) => line.replace(/(?<!\\)\\n/g, "\n"));
}
