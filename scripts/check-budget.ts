/**
 * Compares the size of the repository with `budget.json`: `npm run budget`. With `--update`, lowers what can be
 * lowered. A commit that raises a number must change nothing else, and say why, what was taken out first, and why that
 * was not enough: this checks every commit since the file was added and, with `--staged`, the one being made.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Budget = Record<string, number>;

const root = join(import.meta.dirname, "..");
const file = "budget.json";
const budget = JSON.parse(readFileSync(join(root, file), "utf8")) as Budget;
const isUpdate = process.argv.includes("--update");
const isStaged = process.argv.includes("--staged");
const sizes = measure();
const problems = [
  ...Object.entries(sizes).flatMap(([name, size]) => exceeded(name, size, budget[name] ?? 0)),
  ...(isStaged ? stagedRaise() : committedRaises()),
];
for (const [name, size] of Object.entries(sizes))
  console.log(`${name.padEnd(16)} ${String(size).padStart(9)} of ${String(budget[name]).padStart(9)}`);
if (isUpdate) {
  const lowered = Object.entries(budget).map(([name, most]) => [name, Math.min(most, sizes[name] ?? most)]);
  writeFileSync(join(root, file), `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/**
 * Counts lines of code, words of documents, entries of the exception lists and, after a build, bytes of the tarball.
 */
function measure(): Budget {
  const files = git("ls-files", "--cached", "--others", "--exclude-standard").split("\n").filter(isCounted);
  const lines = (matching: RegExp): number => total(files, matching, /\n/g);
  const exceptions = JSON.parse(readFileSync(join(root, "scripts/word-exceptions.json"), "utf8")) as Budget;
  const { overrides } = JSON.parse(readFileSync(join(root, "biome.json"), "utf8")) as Biome;
  return {
    codeLines: lines(/^(src|hooks|scripts|bench|templates)\/.*\.(ts|mjs|js|sh|css)$/),
    sourceLines: lines(/^src\/.*\.ts$/),
    sourceFiles: files.filter((path) => /^src\/.*\.ts$/.test(path)).length,
    testLines: lines(/^test\/.*\.(ts|sh)$/),
    launcherLines: lines(/^hooks\/hook\.sh$/),
    documentWords: total(files, /\.md$/, /\S+/g),
    wordExceptions: Object.values(exceptions).reduce((sum, count) => sum + count, 0),
    lintExceptions: overrides.flatMap(({ includes }) => includes).filter((path) => path.endsWith(".ts")).length,
    ...tarball(),
  };
}

interface Biome {
  readonly overrides: readonly { readonly includes: readonly string[] }[];
}

function isCounted(path: string): boolean {
  return !path.startsWith("test/fixtures/") && existsSync(join(root, path));
}

function total(files: readonly string[], matching: RegExp, unit: RegExp): number {
  const count = (path: string) => readFileSync(join(root, path), "utf8").match(unit)?.length ?? 0;
  return files.filter((path) => matching.test(path)).reduce((sum, path) => sum + count(path), 0);
}

/** Measures the npm package; empty before a build and for a commit, whose build it would not be. */
function tarball(): Budget {
  if (isStaged || !existsSync(join(root, "dist", "cli.js"))) return {};
  const pack = ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"];
  const npm = execFileSync("npm", pack, { cwd: root, encoding: "utf8", shell: process.platform === "win32" });
  const { size } = Object.values(JSON.parse(npm) as Record<string, { size: number }>)[0] ?? { size: 0 };
  return { tarballKiB: Math.ceil(size / 10_240) * 10 }; // compression differs by some bytes between systems
}

function exceeded(name: string, size: number, most: number): string[] {
  if (size <= most) return [];
  return [`${name}: ${size}, and ${file} allows ${most}. Delete something, or raise it in a commit of its own.`];
}

/** True if any number rises between two versions of the file. */
function raised(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const [old, next] = [JSON.parse(before) as Budget, JSON.parse(after) as Budget];
  return Object.entries(next).some(([name, most]) => most > (old[name] ?? most));
}

function stagedRaise(): string[] {
  if (!raised(shown(`HEAD:${file}`), shown(`:${file}`))) return [];
  const others = git("diff", "--cached", "--name-only")
    .split("\n")
    .filter((path) => path !== file && path !== "");
  return others.length > 0 ? [`${file} raises a number: commit it without ${others.join(", ")}.`] : [];
}

function committedRaises(): string[] {
  return git("log", "--format=%h", "--", file)
    .split("\n")
    .filter((commit) => commit !== "" && raised(shown(`${commit}^:${file}`), shown(`${commit}:${file}`)))
    .flatMap((commit) => {
      const isAlone = git("show", "--name-only", "--format=", commit).trim() === file;
      const reason = git("show", "--no-patch", "--format=%b", commit).trim();
      if (!isAlone || reason === "")
        return [`${commit} raises a number in ${file} along with other changes, or without a reason.`];
      // Older commits needed a reason only.
      const isOlder = !shown(`${commit}^:${file}`)?.includes('"codeLines"');
      return isOlder || /\btaken out\b[\s\S]*\bnot enough\b/i.test(reason)
        ? []
        : [
            `${commit} raises a number in ${file}; its body must say what was "taken out", and why that was "not enough".`,
          ];
    });
}

/** Reads a version of a file; undefined if it does not exist, as before the file was added or in a shallow clone. */
function shown(object: string): string | undefined {
  try {
    return git("show", object);
  } catch {
    return undefined;
  }
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}
