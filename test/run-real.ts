/** Runs the tests of real components with Vitest; see `usage` for the choices. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { posix } from "node:path";
import { parseArgs } from "node:util";
import { repository } from "./world/home.ts";

const usage = `npm run test:real -- [options] [files]

  --all    all files instead of a telling selection
  --list   list the files and run nothing; + marks those that only --all runs`;

/** Files that run by default: at least one for each kind of component. They take about two minutes. */
const byDefault = [
  "test/board/board.real.test.ts",
  "test/files/lock.real.test.ts",
  "test/files/root-access.real.test.ts",
  "test/hooks/programs.real.test.ts",
  "test/installed.real.test.ts",
  "test/installer/files/attributes.real.test.ts",
  "test/io/focus/click.real.test.ts",
  "test/io/presence/session-bus.real.test.ts",
  "test/io/presence/terminals.real.test.ts",
  "test/io/presence/x11.real.test.ts",
  "test/io/terminal.real.test.ts",
  "test/notifiers/desktop.real.test.ts",
  "test/notifiers/sound.real.test.ts",
  "test/notifiers/terminal.real.test.ts",
  "test/relay/nats.real.test.ts",
  "test/report/page/page.real.test.ts",
];

const known = readdirSync(`${repository}/test`, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".real.test.ts"))
  .map((file) => posix.join("test", file.replaceAll("\\", "/")))
  .sort();
const { all, list, files } = parseArgsOrExit();
if (list) {
  for (const file of known) console.log(`${byDefault.includes(file) ? " " : "+"} ${file}`);
  process.exit(0);
}
const startedAt = Date.now();
const chosen = all ? [] : files.length > 0 ? files : byDefault;
const { status } = spawnSync("npx", ["vitest", "run", "--project", "real", "--project", "servers", ...chosen], {
  cwd: repository,
  stdio: "inherit",
});
console.log(`\nreal: ${Math.round((Date.now() - startedAt) / 1000)} s`);
process.exit(status ?? 1);

function parseArgsOrExit() {
  try {
    const gone = byDefault.filter((file) => !known.includes(file));
    if (gone.length > 0) throw new Error(`There is no ${gone.join(", ")}: correct byDefault.`);
    const { values, positionals } = parseArgs({
      options: { all: { type: "boolean", default: false }, list: { type: "boolean", default: false } },
      allowPositionals: true,
    });
    return { ...values, files: positionals };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(64);
  }
}
