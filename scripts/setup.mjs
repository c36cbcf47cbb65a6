// `npm run setup`: installs the dependencies, builds beckon and runs its installer. Whatever npm and the build print is
// shown only if they fail. Needs nothing but Node, and parses on versions that are too old for the rest.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 11))
  fail(
    `beckon needs Node 20.11 or newer, and this is ${process.version}.`,
    "Install a newer one from https://nodejs.org.",
  );

const root = join(import.meta.dirname, "..");
quietly(
  "Installing dependencies",
  ["ci", "--ignore-scripts", "--loglevel=error"],
  "Check the connection to the registry.",
);
quietly("Building", ["run", "--silent", "build"], "Run `git status`: a clean clone builds.");
console.log();
const installer = [join(root, "dist", "cli.js"), "install", "--unattended", ...process.argv.slice(2)];
const { status, signal } = spawnSync(process.execPath, installer, { stdio: "inherit" });
process.exitCode = status ?? (signal === "SIGINT" ? 130 : 1);

/** Runs npm without a word of its own, unless it fails. */
function quietly(what, args, hint) {
  console.log(`${what}…`);
  const { status, stdout, stderr, error } = spawnSync("npm", args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  if (status === 0) return;
  console.error(`\n${stdout ?? ""}${stderr ?? error?.message ?? ""}`);
  fail(
    `${what} failed: \`npm ${args.join(" ")}\` ended with ${status ?? error?.code}.`,
    `${hint} Then run \`npm run setup\` again.`,
  );
}

function fail(what, hint) {
  console.error(`${what}\n${hint}`);
  process.exit(1);
}
