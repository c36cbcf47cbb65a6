import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home, run } from "../world/home.ts";
import { quiet, stop } from "./stop-hook.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  home.writeConfig(quiet);
});
afterEach(() => home.remove());

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
function launchUnder(limit: string, shell: string) {
  const script = join(home.paths.root, "limited.sh");
  writeFileSync(script, `${limit}\nexec ${shell} ${home.paths.launcher} Stop --agent claude\n`);
  return run("bash", [script], stop, { env: home.env });
}

test.each(shells.flatMap((shell) => limits.map((limit) => [shell, limit] as const)))(
  "the launcher in %s says nothing and exits with 0 under `%s`",
  async (shell, limit) => {
    expect(await launchUnder(limit, shell)).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  },
);

test("an event that cannot be written whole does not become visible", async () => {
  rmSync(home.paths.worker); // which would end what is visible
  await launchUnder("ulimit -f 0", "sh");
  expect(home.spooled()).toEqual([]);
});
