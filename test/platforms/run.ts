/** Runs the launcher, the installer and the worker on stand-ins for other platforms; see `--list` and `usage`. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inParallel } from "../world/background.ts";
import type { CheckResult } from "./inside/check.ts";
import { installNode } from "./install-node.ts";
import { type Options, parseOptions, usage } from "./options.ts";
import type { Platform, World } from "./platform.ts";
import { programPlatforms } from "./program-platforms.ts";
import { rootPlatforms } from "./root-platforms.ts";
import { stage } from "./stage.ts";
import { windowsPlatforms } from "./windows-platforms.ts";

const all: readonly Platform[] = [...windowsPlatforms, ...rootPlatforms, ...programPlatforms];
const options = parseOptionsOrExit();
const startedAt = Date.now();
let [passed, failed] = [0, 0];

if (options.list) {
  const runs = (name: string) => options.platforms?.includes(name) ?? true;
  for (const { name, standsFor } of all) console.log(`${runs(name) ? " " : "+"} ${name.padEnd(24)} ${standsFor}`);
  process.exit(0);
}
await runAll(options);
if (!options.keeps) rmSync(options.folder, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed; ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exit(failed > 0 ? 1 : 0);

function parseOptionsOrExit(): Options {
  try {
    const parsed = parseOptions(process.argv.slice(2));
    const unknown = parsed.platforms?.find((name) => !all.some((platform) => platform.name === name));
    if (unknown)
      throw new Error(`There is no platform ${unknown}. There are: ${all.map(({ name }) => name).join(", ")}.`);
    return parsed;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(64);
  }
}

/** Runs several platforms in parallel, then, if asked to, the timing checks with the machine to themselves. */
async function runAll({ platforms, jobs, ...options }: Options): Promise<void> {
  const chosen = all.filter(({ name }) => platforms?.includes(name) ?? true).filter(isPossible);
  const beckon = join(options.folder, "beckon");
  await stage(beckon);
  const makeWorld = ({ name }: Platform): World => ({
    ...options,
    beckon,
    nodeOf: installNode,
    folder: join(options.folder, name),
  });
  for (const platform of chosen) mkdirSync(makeWorld(platform).folder, { recursive: true });
  const tasks = chosen.map((platform) => () => report(platform, "checked", () => platform.check(makeWorld(platform))));
  await inParallel(tasks, jobs);
  for (const platform of chosen) {
    const { measure } = platform;
    if (options.time && measure) await report(platform, "measured", () => measure(makeWorld(platform)));
  }
}

/** Reports what a platform lacks on this machine: as a failure in CI, where nothing may be skipped. */
function isPossible(platform: Platform): boolean {
  const missing = platform.missing();
  if (missing === undefined) return true;
  const isFailure = process.env["CI"] === "true";
  if (isFailure) failed += 1;
  console.log(`${isFailure ? "FAILED " : "skipped"} ${platform.name}: ${missing}`);
  return false;
}

async function report(
  { name, standsFor }: Platform,
  what: string,
  run: () => Promise<readonly CheckResult[]>,
): Promise<void> {
  const beganAt = Date.now();
  const results = await run().catch((error: Error): readonly CheckResult[] => [
    { name: "the checks run", ms: 0, failure: error.message },
  ]);
  const failures = results.filter(({ failure }) => failure !== undefined);
  passed += results.length - failures.length;
  failed += failures.length;
  const seconds = Math.round((Date.now() - beganAt) / 1000);
  const outcome = failures.length > 0 ? "FAILED" : "ok    ";
  console.log(`${outcome} ${name.padEnd(20)} ${what} ${results.length} in ${seconds} s  ${standsFor}`);
  for (const { name: check, note } of results) if (note !== undefined) console.log(`         ${check}: ${note}`);
  for (const { name: check, failure } of failures)
    console.log(`       ✗ ${check}\n         ${failure?.replaceAll("\n", "\n         ")}`);
}
