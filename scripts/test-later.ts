/**
 * Runs the default tests with the date moved by some days, 45 and 400 by default: `npm run test:later -- [DAYS…]`.
 * Needs Debian's `faketime`. It moves the date of processes, but neither file times nor the uptime, so that the files in
 * `test/moved-date.json` fail, each for the call named there. Exits with 1 if another file fails or a listed one never
 * does.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

interface Report {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

const root = join(import.meta.dirname, "..");
const listed = Object.keys(JSON.parse(readFileSync(join(root, "test/moved-date.json"), "utf8")) as object);
const days = process.argv.slice(2).map(Number);
const library = findLibrary();
if (!library || days.some((count) => !Number.isSafeInteger(count))) {
  console.error(library ? "usage: npm run test:later -- [DAYS…]" : "libfaketime is not installed; on Debian: faketime");
  process.exit(64);
}
const failed = new Set((days.length > 0 ? days : [45, 400]).flatMap((count) => listFailed(count, library)));
const unexpected = [...failed].filter((file) => !listed.includes(file));
const passing = listed.filter((file) => !failed.has(file));
for (const file of unexpected) console.log(`fails on a later day: ${file}`);
for (const file of passing) console.log(`passes, so remove it from test/moved-date.json: ${file}`);
console.log(`${failed.size} files fail on a later day, ${listed.length} are listed`);
process.exitCode = unexpected.length + passing.length > 0 ? 1 : 0;

/** Runs the tests `count` days from now. Returns the files that fail. */
function listFailed(count: number, library: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "beckon-later-"));
  const report = join(folder, "report.json");
  console.log(`${count} days from now`);
  const moved = { LD_PRELOAD: library, FAKETIME: `+${count}d`, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
  spawnSync("npx", ["vitest", "run", "--project", "unit*", "--reporter", "json", "--outputFile", report], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...moved },
  });
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  rmSync(folder, { recursive: true });
  return testResults.filter(({ status }) => status !== "passed").map(({ name }) => relative(root, name));
}

function findLibrary(): string | undefined {
  const folders = readdirSync("/usr/lib").map((name) => join("/usr/lib", name, "faketime/libfaketime.so.1"));
  return folders.find((file) => existsSync(file));
}
