import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { agents } from "../../src/agents/registry.ts";
import { repository } from "../world/home.ts";
import { type StubPrograms, stubPrograms } from "../world/stub-programs.ts";

const feature = join(repository, "docs/devcontainer/beckon");
const options = (JSON.parse(readFileSync(join(feature, "devcontainer-feature.json"), "utf8")) as Feature).options;
interface Feature {
  readonly options: Readonly<Record<string, { readonly default: string | boolean; readonly description: string }>>;
}

let stubs: StubPrograms;
beforeEach(() => {
  stubs = stubPrograms();
  cpSync(feature, join(stubs.folder, "feature"), { recursive: true });
  for (const program of ["npm", "beckon"]) stubs.add(program, `echo "${program} $*" >> "$HOME/log"`);
  // As util-linux' su runs a command as a user, who is this one here.
  stubs.add(
    "su",
    `[ "$1 $2 $3 $5 $6" = "-s /bin/sh -c -- vscode" ] && script=$4 && shift 6 && exec /bin/sh -c "$script" "$@"`,
  );
});
afterEach(() => stubs.remove());

function install(env: NodeJS.ProcessEnv = {}) {
  const path = `${stubs.folder}:/usr/bin:/bin`;
  const all = { ...stubs.env, PATH: path, _REMOTE_USER: "vscode", ...env };
  const { status, stderr } = spawnSync("/bin/sh", [join(stubs.folder, "feature/install.sh")], { env: all });
  return { status, stderr: stderr.toString() };
}
const log = () => readFileSync(join(stubs.folder, "log"), "utf8").trim().split("\n");

test("the dev container's feature installs the tarball beside it, and hooks as the container's user", () => {
  const tarball = join(stubs.folder, "feature", `beckon-${manifest.version}.tgz`);
  writeFileSync(tarball, "");
  expect(install({ AGENTS: "claude codex", WAIT: "0", TERMINAL: "false" })).toEqual({ status: 0, stderr: "" });
  expect(log()).toEqual([
    `npm install --global ${tarball}`,
    "beckon install --yes --wait 0 --agent claude --agent codex",
  ]);
});

test("its defaults are those of its description", () => {
  const defaults = Object.entries(options).map(([name, option]) => [name.toUpperCase(), String(option.default)]);
  install({ ...Object.fromEntries(defaults), PACKAGE: "https://example.org/beckon.tgz" });
  const withDefaults = log();
  expect(agents.map(({ name }) => name as string)).toContain(options["agents"]?.default);
  expect(withDefaults).toEqual([
    "npm install --global https://example.org/beckon.tgz",
    "beckon install --yes --wait 10 --agent claude",
    "beckon config add terminal --no-test",
  ]);
  for (const { description } of Object.values(options)) expect(description).toMatch(/\.$/);
});

test("without a package it says what to do, and changes nothing", () => {
  expect(install()).toEqual({ status: 1, stderr: expect.stringMatching(/No package: put beckon's tarball/) });
});
