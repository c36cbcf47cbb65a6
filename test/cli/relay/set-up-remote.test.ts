import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { installRemote } from "../../../src/cli/commands/relay/set-up-remote.ts";
import { createHome, type Home } from "../../world/home.ts";

let home: Home;
let recorder: string;
beforeEach(() => {
  home = createHome();
  writeFileSync(join(home.paths.app, "package.json"), "{}"); // an installation has one
  recorder = program("recorder", `cat > "$0.input"`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await home.remove();
});

function program(name: string, script: string): string {
  const path = join(home.paths.root, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

/** Installs at an end that only writes down what it is told. @returns the files that it was sent */
async function install(): Promise<readonly string[]> {
  const node = { path: process.execPath, version: process.versions.node };
  await installRemote([recorder], { name: "devbox", system: "Linux", node }, home.paths);
  const [, archive = ""] = /<<'BECKON'.*\n([\s\S]*?)BECKON\n/.exec(readFileSync(`${recorder}.input`, "utf8")) ?? [];
  const input = Buffer.from(archive, "base64");
  return execFileSync("tar", ["-tzf", "-"], { input, encoding: "utf8" }).trim().split("\n");
}

test.skipIf(process.platform === "win32")("what was compiled for this machine is not sent to another", async () => {
  writeFileSync(join(home.paths.app, "dist", "chunks", "worker", "main.compiled"), "of this Node");
  const files = await install();
  expect(files).toEqual(expect.arrayContaining(["dist/cli.js", "dist/chunks/worker/main.cjs", "package.json"]));
  expect(files.filter((file) => /compiled|types/.test(file))).toEqual([]);
});

test.skipIf(process.platform === "win32")("a file that a worker keeps while it is packed does no harm", async () => {
  const tar = execFileSync("which", ["tar"], { encoding: "utf8" }).trim();
  program(
    "tar",
    `[ -e "$0.called" ] || { : > "$0.called"; "${tar}" "$@" | head -c 5000; exit 1; }\nexec "${tar}" "$@"`,
  );
  vi.stubEnv("PATH", `${home.paths.root}:${process.env["PATH"]}`);
  expect(await install()).toContain("dist/cli.js");
});
