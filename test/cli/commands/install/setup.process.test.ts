import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { useCliHome } from "../../../world/cli-home.ts";

/** Arguments with which `scripts/setup.mjs` runs the command line after the build. */
const setup = ["install", "--unattended"];

const own = (...run: string[]) => ({ type: "command", run, for: "person" });

const home = useCliHome();
beforeEach(() => {
  // The sample event neither leaves the machine nor rings on it.
  home.config({ notifiers: { none: own("true") }, delivery: { lingerSeconds: 0 } });
});

test("setup without a terminal installs for used agents, tries it out and says how to undo it", async () => {
  const settings = home.write(join(home.home, ".claude", "settings.json"), '{"model":"opus"}');
  const { exitCode, stdout, stderr } = await home.start(setup);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(readFileSync(settings, "utf8")).toContain("hook Stop --agent claude");
  expect(existsSync(join(home.home, ".factory"))).toBe(false);
  expect(stdout).toMatch(/beckon \S+ is in ~\/\.beckon/);
  expect(stdout).toContain("Claude Code: hooks written to ~/.claude/settings.json");
  expect(stdout).toMatch(/Sample event:\s+none +sent/);
  expect(stdout).toContain("To undo all of this: `~/.beckon/app/dist/cli.js uninstall --purge --yes`");

  const undone = await home.start(["uninstall", "--purge", "--yes"]);
  expect(undone.exitCode).toBe(0);
  expect(readFileSync(settings, "utf8")).toBe('{"model":"opus"}');
  expect(existsSync(home.paths.root)).toBe(false);
});

test("setup waits for every notifier of the sample, and names the configuration's errors", async () => {
  home.config({
    notifiers: { quick: own("true"), slow: own("sleep", "2"), later: own("true") },
    routes: [{ to: ["quick", "slow", "later"] }, { to: "calls" }],
    attention: {
      quiet: ["00:00-12:00", "12:00-00:00"].map((at) => ({ at, hold: ["needs-you"], notifiers: ["later"] })),
    },
    delivery: { linger: "0s" },
  });
  home.write(join(home.paths.app, "package.json"), '{ "version": "0.0.1" }');
  const { stdout } = await home.start(setup);
  expect(stdout).toMatch(/beckon 0\.0\.1 → \S+ is in/);
  expect(stdout).toMatch(/quick +sent/);
  expect(stdout).toMatch(/slow +sent +\d+ ms/);
  expect(stdout).toMatch(/later +skipped +quiet hours/);
  expect(stdout).not.toContain("were not done");
  expect(stdout).toMatch(/\.beckon\/config\.jsonc:1:\d+ error routes\[1\]\.to: /);
});
