/**
 * Runs the property tests with new seeds: `npm run fuzz -- [--rounds N] [test file…]`, by default ten rounds of all of
 * them. Stops at the first failure and prints how to repeat it.
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  options: { rounds: { type: "string", default: "10" } },
  allowPositionals: true,
});
const files = positionals.length > 0 ? positionals : propertyTests();
for (let round = 1; round <= Number(values.rounds); round += 1) {
  const seed = process.env["FUZZ_SEED"] ?? String(randomInt(2 ** 31));
  console.log(`round ${round} of ${values.rounds}, seed ${seed}`);
  const vitest = ["vitest", "run", "--project", "unit*", "--reporter", "dot", ...files];
  const { status } = spawnSync("npx", vitest, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, FUZZ_SEED: seed },
  });
  if (status === 0) continue;
  console.log(`\nFound a failure. To repeat it: FUZZ_SEED=${seed} npm run fuzz -- --rounds 1 [test file]`);
  process.exit(1);
}

function propertyTests(): string[] {
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && !file.endsWith(".real.test.ts"))
    .map((file) => join("test", file))
    .filter((file) => readFileSync(join(root, file), "utf8").includes('from "fast-check"'));
}
