import { rmSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { createHome, type Home, run } from "../world/home.ts";
import { quiet, stop } from "./stop-hook.ts";

/** Homes of their own: a launcher that finds a worker running does not try to start one under its limit. */
const homes: Home[] = [];
afterEach(() => Promise.all(homes.splice(0).map((home) => home.remove())));

function newHome(): Home {
  const home = createHome();
  homes.push(home);
  home.writeConfig(quiet);
  return home;
}

const shells = ["sh", "bash"];
const limits = [
  "ulimit -n 12",
  "ulimit -f 0",
  "ulimit -f 1",
  "ulimit -u 1",
  "ulimit -v 20000",
  "unset HOME BECKON_HOME",
];

/** Runs the launcher under a limit that holds for it from its first line on. */
function launchUnder(home: Home, limit: string, shell: string) {
  const line = `${limit}\nexec ${shell} ${home.paths.launcher} Stop --agent claude\n`;
  return run("bash", ["-c", line], stop, { env: home.env });
}

test("the launcher says nothing and exits with 0 under any limit, in any shell", async () => {
  const rows = shells.flatMap((shell) => limits.map((limit) => [shell, limit] as const));
  const results = rows.map(async ([shell, limit]) => {
    const { exitCode, stdout, stderr } = await launchUnder(newHome(), limit, shell);
    return [`${shell}: ${limit}`, { exitCode, stdout, stderr }];
  });
  const silent = rows.map(([shell, limit]) => [`${shell}: ${limit}`, { exitCode: 0, stdout: "", stderr: "" }]);
  expect(Object.fromEntries(await Promise.all(results))).toEqual(Object.fromEntries(silent));
});

test("an event that cannot be written whole does not become visible", async () => {
  const home = newHome();
  rmSync(home.paths.worker); // which would end what is visible
  await launchUnder(home, "ulimit -f 0", "sh");
  expect(home.spooled()).toEqual([]);
});
