// `npm run setup`: installs the dependencies, builds beckon and runs its installer. Shows the output of npm and the build
// only if they fail. Needs only Node, and parses on Node 12, so that its users can read why it stops.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const [oldest, current] = [engines.node, process.versions.node].map((text) => text.match(/\d+/g).map(Number));
if (current[0] < oldest[0] || (current[0] === oldest[0] && current[1] < oldest[1]))
  fail(
    `beckon needs Node ${oldest.join(".")} or newer, and this is ${process.version}.`,
    "Install a newer one from https://nodejs.org.",
  );

const root = join(import.meta.dirname, "..");
// Without a connection, npm would try for 70 seconds.
quietly(
  "Installing dependencies",
  "npm ci --ignore-scripts --loglevel=error --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000",
  "Check the connection to npm's registry (`npm ping`), and npm's proxy.",
);
quietly("Building", "npm run --silent build", "Check with `git status` that the clone is unchanged.");
console.log();
const installer = [join(root, "dist", "cli.js"), "install", "--unattended", ...process.argv.slice(2)];
const { status, signal } = spawnSync(process.execPath, installer, { stdio: "inherit" });
process.exitCode = status === null ? (signal === "SIGINT" ? 130 : 1) : status;

/** Runs an npm command (on Windows a script, which needs a shell) and prints its output only if it fails. */
function quietly(what, command, hint) {
  console.log(`${what}…`);
  const options = { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], shell: true };
  const { status, signal, stdout, stderr } = spawnSync(command, options);
  if (status === 0) return;
  console.error(`\n${stdout}${stderr}`);
  fail(
    `${what} failed: \`${command}\` ended with ${status || signal}. Your agents' settings were not changed.`,
    `${hint} Then run \`npm run setup\` again.`,
  );
}

function fail(what, hint) {
  console.error(`${what}\n${hint}`);
  process.exit(1);
}
