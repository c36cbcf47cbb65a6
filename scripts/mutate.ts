/**
 * Changes the source in small ways and checks that a test fails:
 * `npm run mutate -- [--sample N] [--seed N] [--out FILE] [path…]`, all mutants of `src/spool`, `src/worker` and
 * `src/pipeline` by default. Works on a copy, prints the mutants that survived and the score by folder; `--out` writes
 * every outcome as JSON. `scripts/mutate/equivalents.json` lists mutants that change nothing, with the reason.
 * `npm run mutate -- --check` tries the mutants of `scripts/mutate/sample.json` instead and fails if one survives that
 * was killed when the file was written.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type Mutant, mutantsOf } from "./mutate/mutants.ts";

interface FileMutant extends Mutant {
  readonly file: string;
}
interface Equivalent extends Pick<FileMutant, "file" | "description"> {
  readonly reason: string;
}
type Outcome = "killed" | "survived" | "timed out";
/** An outcome as `--out` writes it. `gone`: the source no longer has that line. */
interface Recorded extends Pick<FileMutant, "file" | "description"> {
  readonly outcome: Outcome | "gone";
  /** The tests that failed: one file, or a room. */
  readonly by?: string;
}

const root = join(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    out: { type: "string" },
    check: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const paths = positionals.length > 0 ? positionals : ["src/spool", "src/worker", "src/pipeline"];
const sampleFile = join(root, "scripts/mutate/sample.json");
const equivalents = JSON.parse(readFileSync(join(root, "scripts/mutate/equivalents.json"), "utf8")) as Equivalent[];
/** Times a run without a mutant may be exceeded before it counts as noticed, and what is added to that. */
const patience = 4;
const slackMs = 20_000;

const copy = mkdtempSync(join(tmpdir(), "beckon-mutate-"));
process.once("SIGINT", () => process.exit(130));
process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
copyTree();
const known = values.check ? (JSON.parse(readFileSync(sampleFile, "utf8")) as Recorded[]) : [];
const chosen = values.check
  ? known.flatMap(({ file, description }) => mutantsIn(file).filter((mutant) => mutant.description === description))
  : sample(paths.flatMap(sourcesIn).flatMap(mutantsIn), Number(values.seed), values.sample);
const outcomes: { readonly mutant: FileMutant; readonly outcome: Outcome; readonly by?: string }[] = [];
const limits = new Map<string, number>();
for (const mutant of chosen) {
  const result = await outcomeOf(mutant);
  outcomes.push({ mutant, ...result });
  if (result.outcome === "survived") console.log(`survived  ${mutant.file}:${mutant.line}  ${mutant.description}`);
  if (values.out) writeFileSync(values.out, `${JSON.stringify(recorded(), null, 2)}\n`);
}
printScores();
if (values.check) compareWithSample();

function copyTree(): void {
  const { stdout } = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const file of String(stdout)
    .split("\0")
    .filter((name) => name !== "" && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  build();
}

/** Tests of processes run the built program. */
function build(): boolean {
  return spawnSync("npx", ["tsx", "scripts/build.ts"], { cwd: copy, stdio: "ignore" }).status === 0;
}

function sourcesIn(path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(path, name))
    .sort();
}

function mutantsIn(file: string): FileMutant[] {
  const isEquivalent = ({ description }: Mutant) =>
    equivalents.some((one) => one.file === file && one.description === description);
  return mutantsOf(readFileSync(join(root, file), "utf8"))
    .filter((mutant) => !isEquivalent(mutant))
    .map((mutant) => ({ file, ...mutant }));
}

/** So many of them, the same for the same seed; all without a number. */
function sample(all: readonly FileMutant[], seed: number, count: string | undefined): readonly FileMutant[] {
  if (count === undefined) return all;
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  const ranked = all.map((mutant) => ({ mutant, rank: next() })).sort((a, b) => a.rank - b.rank);
  return ranked.slice(0, Number(count)).map(({ mutant }) => mutant);
}

/** The outcomes so far, as `--out` writes them. */
function recorded(): Recorded[] {
  return outcomes.map(({ mutant: { file, description }, ...result }) => ({ file, description, ...result }));
}

/** Prints every difference from the sample. Fails if a mutant survives that was killed. */
function compareWithSample(): void {
  const now = recorded();
  for (const { file, description, outcome: before } of known) {
    const after = now.find((one) => one.file === file && one.description === description)?.outcome ?? "gone";
    if (before === "survived" || after === "killed" || after === "timed out") continue;
    console.log(`${before} before, now ${after}: ${file}  ${description}`);
    process.exitCode = 1;
  }
}

/** Runs one group of tests after the other, until one fails because of the mutant. */
async function outcomeOf(mutant: FileMutant): Promise<Pick<Recorded, "by"> & { readonly outcome: Outcome }> {
  const path = join(copy, mutant.file);
  const source = readFileSync(join(root, mutant.file), "utf8");
  for (const tests of testsOf(mutant.file).filter((some) => some.length > 0)) {
    const limitMs = await limitFor(tests);
    writeFileSync(path, source.slice(0, mutant.start) + mutant.replacement + source.slice(mutant.end));
    const isBuilt = !needBuild(tests) || build();
    const outcome = isBuilt ? await runTests(tests, limitMs) : "killed";
    writeFileSync(path, source);
    if (needBuild(tests)) build();
    if (outcome !== "survived")
      return { outcome, by: tests.length === 1 ? String(tests[0]) : dirname(String(tests[0])) };
  }
  return { outcome: "survived" };
}

/**
 * Groups of tests that may notice a change of the file, the likeliest and quickest first: its own, those of its room,
 * those of what imports it, those of the worker. Of each, tests in one process come before those that need the built
 * program.
 */
function testsOf(file: string): (readonly string[])[] {
  const folder = dirname(file).replace(/^src/, "test");
  const room = file.split("/").slice(1, 2).join("");
  const stem = basename(file, ".ts");
  const isOwn = (name: string) => dirname(name) === folder && basename(name).startsWith(stem);
  const ofRoom = unitTestsIn(join("test", room));
  const groups = [ofRoom.filter(isOwn), ofRoom, testsOfImporters(file), unitTestsIn("test/worker")];
  const chosen = groups.map((group, index) => group.filter((name) => !groups.slice(0, index).flat().includes(name)));
  return chosen.flatMap((group) => [
    group.filter((name) => !needBuild([name])),
    group.filter((name) => needBuild([name])),
  ]);
}

/** Tests that import the file, and the own tests of sources that do. */
function testsOfImporters(file: string): string[] {
  const tests = unitTestsIn("test");
  const importers = [...sourcesIn("src"), ...tests].filter((name) => importsOf(name).includes(file));
  const ownTests = importers.map((name) => name.replace(/^src/, "test").replace(/(\.test)?\.ts$/, ".test.ts"));
  return tests.filter((name) => ownTests.includes(name));
}

/** The files that one imports by a path. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/\bfrom "(\.[^"]+)"/g)].map(([, path = ""]) => join(dirname(file), path));
}

function unitTestsIn(folder: string): string[] {
  return sourcesIn(folder).filter((name) => /(?<!\.real)\.test\.ts$/.test(name));
}

function needBuild(tests: readonly string[]): boolean {
  return tests.some((test) => /world\/home\.ts|builtCli/.test(readFileSync(join(root, test), "utf8")));
}

/** How long some tests may take; from a run without a mutant, in which they must pass. */
async function limitFor(tests: readonly string[]): Promise<number> {
  const key = tests.join();
  const known = limits.get(key);
  if (known !== undefined) return known;
  const startedAt = performance.now();
  if ((await runTests(tests, 600_000)) !== "survived") {
    console.error(`These tests fail without a mutant; mend them first: ${tests.join(" ")}`);
    process.exit(1);
  }
  limits.set(key, patience * (performance.now() - startedAt) + slackMs);
  return limits.get(key) ?? 0;
}

function runTests(tests: readonly string[], limitMs: number): Promise<Outcome> {
  const args = ["vitest", "run", "--project", "unit*", "--bail", "1", "--reporter", "dot", ...tests];
  const child = spawn("npx", args, { cwd: copy, stdio: "ignore", detached: true });
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve("timed out");
      process.kill(-(child.pid ?? 0), "SIGKILL");
    }, limitMs);
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? "survived" : "killed");
    });
  });
}

function printScores(): void {
  const folders = [...new Set(outcomes.map(({ mutant }) => dirname(mutant.file)))].sort();
  console.log(`\n${"folder".padEnd(28)} mutants  noticed  score`);
  for (const folder of folders) {
    const here = outcomes.filter(({ mutant }) => dirname(mutant.file) === folder);
    const noticed = here.filter(({ outcome }) => outcome !== "survived").length;
    const score = `${((100 * noticed) / here.length).toFixed(1)} %`;
    console.log(
      `${folder.padEnd(28)} ${String(here.length).padStart(7)}  ${String(noticed).padStart(7)}  ${score.padStart(7)}`,
    );
  }
}
