import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { removeRoot, repository } from "../world/home.ts";

const { version } = manifest;

let folder: string;
let tarball: string;
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "tarball-"));
  const build = ["--import", "tsx", "scripts/build-packages.ts", "--out", join(folder, "packages")];
  execFileSync(process.execPath, build, { cwd: repository, stdio: "ignore" });
  tarball = join(folder, "packages", `beckon-${version}.tgz`);
}, 120_000);
afterAll(async () => {
  execFileSync("chmod", ["-R", "u+w", folder]); // Nix' store is read-only
  await removeRoot(join(folder, "home", ".beckon"), folder);
});

/** Runs a program in the folder, with a home below it; npm uses the registry from which the tests were installed. */
function output(file: string, ...args: readonly string[]): string {
  const env = { ...process.env, HOME: join(folder, "home"), npm_config_prefer_offline: "true" };
  const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
  return execFileSync(file, args, { cwd: folder, env, encoding: "utf8", stdio, timeout: 120_000 });
}

test("npm installs the tarball for all of a user's shells, and its installer copies it", () => {
  const prefix = join(folder, "prefix");
  output("npm", "install", "--global", "--prefix", prefix, "--no-audit", "--no-fund", tarball);
  const beckon = join(prefix, "bin", "beckon");
  expect(output(beckon, "--version").trim()).toBe(version);
  mkdirSync(join(folder, "home", ".claude"), { recursive: true });
  output(beckon, "install", "--yes");
  expect(existsSync(join(folder, "home/.beckon/app/dist/worker.cjs"))).toBe(true);
  expect(readFileSync(join(folder, "home/.claude/settings.json"), "utf8")).toContain("~/.beckon/hook Stop");
}, 180_000);

test("the first block of the README sets beckon up word for word, and the clone may go", () => {
  const firstBlock = /```sh\n(git clone (\S+)[^`]*)```/;
  const [, commands = "", address = ""] = firstBlock.exec(readFileSync(join(repository, "README.md"), "utf8")) ?? [];
  const home = join(folder, "reader");
  mkdirSync(join(home, ".claude"), { recursive: true });
  const asked = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: `url.${repository}.insteadOf`, GIT_CONFIG_VALUE_0: address };
  const env = { ...process.env, ...asked, HOME: home };
  execFileSync("sh", ["-ec", commands], { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
  rmSync(join(home, "beckon"), { recursive: true });
  const cli = join(home, ".beckon", "app", "dist", "cli.js");
  expect(execFileSync(cli, ["status"], { cwd: home, env, encoding: "utf8" })).toMatch(/Claude Code +\d+ hooks/);
}, 300_000);

test("Ruby reads the Homebrew formula, which has the tarball's address and checksum", () => {
  const stub = `class Formula
    def self.test = nil
    def self.method_missing(name, *values) = (puts [name, *values].join(" "))
  end`;
  const formula = join(folder, "packages/homebrew/beckon.rb");
  const sha256 = createHash("sha256").update(readFileSync(tarball)).digest("hex");
  const said = output("ruby", "-e", stub, "-e", `load ${JSON.stringify(formula)}`).split("\n");
  expect(said).toContain(`url file://${tarball}`);
  expect(said).toContain(`sha256 ${sha256}`);
});

test("Nix evaluates the flake, whose command is the tarball's", () => {
  const stub = join(folder, "nixpkgs");
  mkdirSync(stub);
  writeFileSync(join(stub, "flake.nix"), nixpkgs);
  const root = `local?root=${join(folder, "nix")}`;
  const flake = `path:${join(folder, "packages/nix")}#packages.x86_64-linux.default`;
  const options = ["--offline", "--store", root, "--no-write-lock-file", "--override-input", "nixpkgs", `path:${stub}`];
  const features = ["--extra-experimental-features", "nix-command flakes"];
  const evaluated = output("nix", ...features, "eval", "--json", ...options, flake);
  const { name, script } = JSON.parse(evaluated) as { readonly name: string; readonly script: string };
  expect(name).toBe(`beckon-${version}`);
  expect(script).toContain("makeWrapper /nodejs/bin/node $out/bin/beckon");
}, 180_000);

/** The part of nixpkgs that the flake uses; builds are returned as values. */
const nixpkgs = `{
  outputs = _: { lib.genAttrs = names: make: builtins.listToAttrs (map (name: { inherit name; value = make name; }) names);
    legacyPackages.x86_64-linux = {
      nodejs = "/nodejs";
      makeWrapper = "makeWrapper";
      lib.licenses.mit = "MIT";
      runCommand = name: attributes: script: { inherit name script; };
    };
  };
}`;
