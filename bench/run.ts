/**
 * Measures beckon's promises and prints them with other figures: `npm run bench -- [part…]`, all parts by default. Exits
 * with 1 if a promise is broken. Linux only (it reads /proc). Times on a shared machine mean little; ratios within one
 * interleaved run are reliable.
 */

import { which } from "../src/io/which.ts";
import { parts } from "./parts.ts";
import type { Figure } from "./table.ts";

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) fail(`There is no part ${unknown.join(", ")}. There are: ${Object.keys(parts).join(", ")}.`);
const chosen = Object.entries(parts).flatMap(([name, part]) =>
  names.length === 0 || names.includes(name) ? [part] : [],
);
const missing = chosen.flatMap(({ programs = [] }) => programs).filter((program) => !which(program));
if (missing.length > 0) fail(`Not installed: ${missing.join(", ")}; on Debian, run scripts/install-real.sh.`);

// Node 20 reads extra certificates at every start, which would flatter the launcher.
for (const name of ["NODE_EXTRA_CA_CERTS", "NODE_OPTIONS"]) delete process.env[name];

const figures: Figure[] = [];
for (const part of chosen) figures.push(...(await part.measure()));
console.log("\nPromises, and other figures");
for (const [name, value, limit] of figures) {
  if (limit === undefined) console.log(`        ${name}: ${value.toFixed(2)}`);
  else console.log(`${value <= limit ? "kept  " : "BROKEN"}  ${name}: ${value.toFixed(2)} (at most ${limit})`);
}
process.exitCode = figures.every(([, value, limit = Number.POSITIVE_INFINITY]) => value <= limit) ? 0 : 1;

function fail(message: string): never {
  console.error(message);
  process.exit(64);
}
