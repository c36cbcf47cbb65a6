/**
 * Changes the source in small ways and checks that a test fails: `npm run mutate -- [--sample N] [--seed N] [--out
 * FILE] [path…]`, by default all mutants of `src/spool`, `src/worker` and `src/pipeline`. Works on a copy that is built
 * once with every mutant in it, turned on one at a time. Prints the mutants that survived and the score by folder;
 * `--out` writes every outcome as JSON. `scripts/mutate/equivalents.json` lists mutants that change nothing, with the
 * reason. `npm run mutate -- --check` tries the mutants of `scripts/mutate/sample.json` that were killed when the file
 * was written, and fails if any of them survives.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
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
import { basename, dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { findMutants, type Mutant } from "./mutate/mutants.ts";
import { isSwitchable, type NumberedMutant, withSwitches } from "./mutate/switchable.ts";

interface FileMutant extends NumberedMutant {
  readonly file: string;
}
interface Equivalent extends Pick<FileMutant, "file" | "description"> {
  readonly reason: string;
}
type Outcome = "killed" | "survived" | "timed out";
/** Outcome in the form that `--out` writes. */
interface Recorded extends Pick<FileMutant, "file" | "description"> {
  readonly outcome: Outcome;
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
const sampleFile = join(root, "scripts/mutate/sample.json");
const equivalents = JSON.parse(readFileSync(join(root, "scripts/mutate/equivalents.json"), "utf8")) as Equivalent[];
/**
 * Factor and milliseconds by which a run may exceed the time without a mutant. After that, the mutant counts as killed.
 */
const timeoutFactor = 4;
const slackMs = 20_000;

const copy = mkdtempSync(join(tmpdir(), "beckon-mutate-"));
const hitsFile = join(copy, "hits.txt");
process.once("SIGINT", () => process.exit(130));
process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
const known = values.check ? killedInSample() : [];
const mutants = values.check ? mutantsOfSample() : chosenMutants();
copyTree();
const outcomes: { readonly mutant: FileMutant; readonly outcome: Outcome }[] = [];
const measured = new Set<string>();
/** `<number> <test file>` for each mutant that a test reaches. */
const reached = new Set<string>();
/** Longest time for a run, which may never end with a mutant in it. */
let limitMs = 0;
for (const mutant of mutants) {
  const outcome = await runMutant(mutant);
  outcomes.push({ mutant, outcome });
  if (outcome === "survived") console.log(`survived  ${mutant.file}:${mutant.line}  ${mutant.description}`);
  if (values.out) writeFileSync(values.out, `${JSON.stringify(recorded(), null, 2)}\n`);
}
printScores();
if (values.check) compareWithSample();

function chosenMutants(): readonly FileMutant[] {
  const paths = positionals.length > 0 ? positionals : ["src/spool", "src/worker", "src/pipeline"];
  const all = paths.flatMap(sourcesIn).flatMap(mutantsIn);
  return numbered(sample(all, Number(values.seed), values.sample));
}

function killedInSample(): readonly Recorded[] {
  const sample = JSON.parse(readFileSync(sampleFile, "utf8")) as Recorded[];
  return sample.filter(({ outcome }) => outcome !== "survived");
}

function mutantsOfSample(): readonly FileMutant[] {
  const fileExists = ({ file }: Recorded): boolean => existsSync(join(root, file));
  const find = ({ file, description }: Recorded) =>
    mutantsIn(file).filter((mutant) => mutant.description === description);
  return numbered(known.filter(fileExists).flatMap((entry) => find(entry).slice(0, 1)));
}

function numbered(group: readonly Omit<FileMutant, "number">[]): readonly FileMutant[] {
  return group.map((mutant, number) => ({ ...mutant, number }));
}

/** Copies the tree with all mutants in it and builds it, because process tests run the built program. */
function copyTree(): void {
  const { stdout } = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const file of String(stdout)
    .split("\0")
    .filter((name) => name !== "" && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const own = mutants.filter((mutant) => mutant.file === file);
    writeFileSync(join(copy, file), withSwitches(readFileSync(join(root, file), "utf8"), own));
  }
  const nameTest = `import { expect as state } from "vitest";\nprocess.env["MUTANT_TEST"] = state.getState().testPath ?? "";\n`;
  appendFileSync(join(copy, "test/setup.ts"), nameTest);
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const { status, stderr } = spawnSync("npx", ["tsx", "scripts/build.ts"], { cwd: copy, encoding: "utf8" });
  if (!existsSync(join(copy, "dist", "worker.cjs"))) throw new Error(`the copy was not built (${status}): ${stderr}`);
}

function sourcesIn(path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(path, name))
    .sort();
}

function mutantsIn(file: string): Omit<FileMutant, "number">[] {
  const isEquivalent = ({ description }: Mutant) =>
    equivalents.some((equivalent) => equivalent.file === file && equivalent.description === description);
  const text = readFileSync(join(root, file), "utf8");
  return findMutants(text)
    .filter((mutant) => !isEquivalent(mutant) && isSwitchable(text, mutant))
    .map((mutant) => ({ file, ...mutant }));
}

/** Returns a random sample of `count` items, the same for the same seed; all items without a count. */
function sample<Item>(all: readonly Item[], seed: number, count: string | undefined): readonly Item[] {
  if (count === undefined) return all;
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  const ranked = all.map((mutant) => ({ mutant, rank: next() })).sort((a, b) => a.rank - b.rank);
  return ranked.slice(0, Number(count)).map(({ mutant }) => mutant);
}

/** Returns the outcomes so far, in the form that `--out` writes. */
function recorded(): Recorded[] {
  return outcomes.map(({ mutant: { file, description }, outcome }) => ({ file, description, outcome }));
}

/** Prints the mutants of the sample that now survive or are missing from the source; fails if there are any. */
function compareWithSample(): void {
  const now = recorded();
  for (const { file, description, outcome: before } of known) {
    const after = now.find((entry) => entry.file === file && entry.description === description)?.outcome ?? "gone";
    if (after === "killed" || after === "timed out") continue;
    console.log(`${before} before, now ${after}: ${file}  ${description}`);
    process.exitCode = 1;
  }
}

/** Runs the groups of tests one after the other until one fails, and only the tests that reach the mutant. */
async function runMutant(mutant: FileMutant): Promise<Outcome> {
  for (const tests of listTests(mutant.file).filter((group) => group.length > 0)) {
    await measure(tests);
    const reaching = tests.filter((test) => reached.has(`${mutant.number} ${test}`));
    if (reaching.length === 0) continue;
    const outcome = await runTests(reaching, limitMs, { MUTANT: String(mutant.number) });
    if (outcome !== "survived") return outcome;
  }
  return "survived";
}

/**
 * Groups the tests that may notice a change of the file, likeliest and quickest first: its own, those of its room,
 * those of its importers, those of the worker. In each group, tests in one process come before those that start others.
 */
function listTests(file: string): (readonly string[])[] {
  const folder = dirname(file).replace(/^src/, "test");
  const room = file.split("/").slice(1, 2).join("");
  const stem = basename(file, ".ts");
  const isOwn = (name: string) => dirname(name) === folder && basename(name).startsWith(stem);
  const ofRoom = unitTestsIn(join("test", room));
  const groups = [ofRoom.filter(isOwn), ofRoom, testsOfImporters(file), unitTestsIn("test/worker")];
  const chosen = groups.map((group, index) => group.filter((name) => !groups.slice(0, index).flat().includes(name)));
  const startsProcesses = (name: string) => /world\/home\.ts|builtCli/.test(readFileSync(join(root, name), "utf8"));
  return chosen.flatMap((group) => [group.filter((name) => !startsProcesses(name)), group.filter(startsProcesses)]);
}

/**
 * Finds tests that import the file, and tests of sources that do: each source may have its own, or share its folder's.
 */
function testsOfImporters(file: string): string[] {
  const tests = unitTestsIn("test");
  const importers = [...sourcesIn("src"), ...tests].filter((name) => listImports(name).includes(file));
  const ownTests = importers.map((name) => name.replace(/^src/, "test").replace(/(\.test)?\.ts$/, ".test.ts"));
  const shared = ownTests.map((name) => join(dirname(name), `${basename(dirname(name))}.test.ts`));
  return tests.filter((name) => ownTests.includes(name) || shared.includes(name));
}

/** Lists the files that a file imports by path. */
function listImports(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/\bfrom "(\.[^"]+)"/g)].map(([, path = ""]) => join(dirname(file), path));
}

function unitTestsIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return sourcesIn(folder).filter((name) => /(?<!\.real)\.test\.ts$/.test(name));
}

/** Runs the tests without a mutant, unless they have run before, and notes which mutants they reach. */
async function measure(tests: readonly string[]): Promise<void> {
  const unmeasured = tests.filter((test) => !measured.has(test));
  if (unmeasured.length === 0) return;
  const startedAt = performance.now();
  writeFileSync(hitsFile, "");
  if ((await runTests(unmeasured, 900_000, { MUTANT_HITS: hitsFile })) !== "survived") {
    console.error(`These tests fail without a mutant; fix them first: ${unmeasured.join(" ")}`);
    process.exit(1);
  }
  limitMs = Math.max(limitMs, timeoutFactor * (performance.now() - startedAt) + slackMs);
  for (const hit of readFileSync(hitsFile, "utf8").split("\n"))
    reached.add(hit.replace(/ (.*)/, (_, path) => ` ${relative(copy, path)}`));
  for (const test of unmeasured) measured.add(test);
}

function runTests(tests: readonly string[], limitMs: number, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const projects = ["--project", "unit*", "--project", "processes"];
  const child = spawn("npx", ["vitest", "run", ...projects, "--bail", "1", "--reporter", "dot", ...tests], {
    cwd: copy,
    stdio: "ignore",
    detached: true,
    env: { ...process.env, ...env },
  });
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
  console.log(`\n${"folder".padEnd(28)} mutants   killed  score`);
  for (const folder of folders) {
    const here = outcomes.filter(({ mutant }) => dirname(mutant.file) === folder);
    const killed = here.filter(({ outcome }) => outcome !== "survived").length;
    const score = `${((100 * killed) / here.length).toFixed(1)} %`;
    console.log(
      `${folder.padEnd(28)} ${String(here.length).padStart(7)}  ${String(killed).padStart(7)}  ${score.padStart(7)}`,
    );
  }
}
