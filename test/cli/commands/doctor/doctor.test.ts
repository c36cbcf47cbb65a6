import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliHome, createCliHome } from "../../../world/cli-home.ts";
import { addDroid, installHealthy, printChecks, problemsIn, runChecks } from "../../../world/doctor-home.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
  installHealthy(home);
});
afterEach(() => home.remove());

test("on a healthy machine every check is ok, exit code 0", async () => {
  const { exitCode, results } = await runChecks(home);
  expect(problemsIn(results)).toEqual([]);
  expect(exitCode).toBe(0);
  expect(new Set(results.flatMap((result) => Object.keys(result)))).toEqual(new Set(["name", "status", "detail"]));
});

test("a warning leaves the exit code at 0, a problem makes it 1", async () => {
  home.bury("event-0001");
  expect((await runChecks(home)).exitCode).toBe(0);
  rmSync(home.paths.worker);
  expect((await runChecks(home)).exitCode).toBe(1);
});

test("a person sees a line for each check, with the cure below", async () => {
  rmSync(home.paths.worker);
  home.bury("event-0001");
  const stdout = await printChecks(home);
  expect(stdout).toContain(
    "✗ worker program: ~/.beckon/app/dist/worker.cjs is missing: events wait in the spool\n    beckon install\n",
  );
  expect(stdout).toContain("! failed: 1 event\n    `beckon log --failed` shows why");
  expect(stdout).toMatch(/^✓ notifier team: slack$/m);
});

test("without --all what is fine is only counted", async () => {
  home.bury("event-0001");
  const stdout = await printChecks(home, { all: false });
  expect(stdout).not.toContain("✓");
  expect(stdout).toMatch(/^! failed: 1 event\n.*\n\n0 problems, 1 warning, \d+ ok; --all lists them\n$/);
});

test("a person sees problems first, the results of an agent together, and a summary at the end", async () => {
  addDroid(home);
  rmSync(home.paths.worker);
  home.write(join(home.home, ".factory", "hooks.json"), JSON.stringify({ PreToolUse: [] }));
  const lines = (await printChecks(home)).trimEnd().split("\n");
  expect(lines[0]).toMatch(/^✗ worker program: /);
  expect(lines.findIndex((line) => line.startsWith("! Droid"))).toBeLessThan(
    lines.findIndex((line) => line.startsWith("✓")),
  );
  const subjects = lines.flatMap((line) => /^✓ (Droid|Claude Code):/.exec(line)?.[1] ?? []);
  expect(subjects).toEqual([...subjects].sort().reverse());
  expect(lines.at(-1)).toMatch(/^1 problem, 1 warning, \d+ ok$/);
});
