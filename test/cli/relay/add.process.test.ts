import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse as parseJsonc } from "jsonc-parser";
import { beforeEach, expect, test } from "vitest";
import { resolvePaths } from "../../../src/files/paths.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { killHomeWorker } from "../../world/home.ts";

const home = useCliHome();
/** Home folder of the other machine, which has neither a desktop nor beckon. */
let edge: string;
beforeEach(async () => {
  home.config({ notifiers: { none: { type: "command", run: ["true"], for: "person" } }, delivery: { linger: "0s" } });
  await home.start(["install", "--yes"]);
  edge = join(home.home, "edge");
  mkdirSync(edge);
  // The home is removed first otherwise, while the workers still write there.
  return async () => {
    for (const { lock } of [home.paths, edgePaths()]) await killHomeWorker(lock);
  };
});
const edgePaths = () => resolvePaths(join(edge, ".beckon"));

/**
 * Runs `relay add` for the other machine, which is reached as over SSH, with a shell in a clean environment.
 * @param around programs that run the shell
 */
function add(...around: string[]) {
  const shell = ["env", "-i", `HOME=${edge}`, `PATH=${dirname(process.execPath)}:/usr/bin:/bin`];
  return home.start(["relay", "add", "--name", "devbox", "--yes", "--", ...around, ...shell]);
}

test("says before and after that a fresh machine without a desktop notifies only here, and that another keeps its notifiers", {
  timeout: 120_000,
}, async () => {
  const fresh = await add();
  expect(fresh.exitCode, fresh.stdout + fresh.stderr).toBe(0);
  expect(fresh.stdout).toContain("Without a desktop, devbox then notifies only here.");
  expect(fresh.stdout).toContain("No other notifier is set up on devbox, so its events ring only here.");
  const { notifiers } = parseJsonc(readFileSync(edgePaths().config, "utf8"));
  expect(Object.keys(notifiers)).toEqual(["home"]);

  const own = { desk: { type: "desktop" }, log: { type: "file", path: join(edge, "log") } };
  home.write(edgePaths().config, JSON.stringify({ notifiers: own, routes: [{ to: ["desk", "log"] }] }));
  const goodbye = join(home.home, "with-goodbye");
  home.write(goodbye, '#!/bin/sh\n"$@"; code=$?; echo "{ goodbye }"; exit $code\n');
  chmodSync(goodbye, 0o755);
  const { stdout } = await add(goodbye);
  expect(stdout).not.toContain("Without a desktop");
  expect(stdout).toContain("devbox keeps its own notifiers too: desk, log.");
});
