/**
 * Finds phrases in code, comments and documents that have plainer alternatives in `scripts/words.json`: `npm run
 * words`, or in the files given as arguments. `scripts/word-exceptions.json` has the number of phrases still allowed in
 * each file; `-- --update` lowers these numbers and never raises them.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Rule {
  readonly words: string;
  readonly instead: string;
}

const root = join(import.meta.dirname, "..");
const exceptionsFile = join(root, "scripts", "word-exceptions.json");
const rules = (JSON.parse(readFileSync(join(root, "scripts", "words.json"), "utf8")) as Rule[]).map((rule) => ({
  ...rule,
  pattern: new RegExp(rule.words),
}));
const allowed = JSON.parse(readFileSync(exceptionsFile, "utf8")) as Record<string, number>;
const isUpdate = process.argv.includes("--update");
const given = isUpdate ? [] : process.argv.slice(2);
const list = ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...given];
const listing = execFileSync("git", list, { cwd: root });
const files = String(listing)
  .split("\n")
  .filter((file) => /\.(ts|sh|md)$|^\.ci\/run$/.test(file) && !file.startsWith("test/fixtures/"))
  .filter((file) => existsSync(join(root, file)));
const found = new Map(files.map((file) => [file, findings(file)]));

if (isUpdate) {
  const lowered = Object.entries(allowed).map(([file, most]) => [file, Math.min(most, found.get(file)?.length ?? 0)]);
  const left = Object.fromEntries(lowered.filter(([, most]) => most !== 0));
  writeFileSync(exceptionsFile, `${JSON.stringify(left, null, 2)}\n`);
} else {
  for (const [file, lines] of found) {
    if (lines.length <= (allowed[file] ?? 0)) continue;
    console.error(
      `${file}: ${lines.length} phrases have plainer alternatives, ${allowed[file] ?? 0} allowed\n${lines.join("\n")}`,
    );
    process.exitCode = 1;
  }
}

/** Returns a line of output for each phrase found. */
function findings(file: string): string[] {
  return readFileSync(join(root, file), "utf8")
    .split("\n")
    .flatMap((line, index) => {
      const matching = rules.filter(({ pattern }) => pattern.test(line));
      return matching.map(({ instead }) => `  ${index + 1}: ${line.trim()}\n     instead: ${instead}`);
    });
}
