import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliHome, createCliHome } from "../../../world/cli-home.ts";
import { installHealthy, problemsIn, runChecks } from "../../../world/doctor-home.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
  installHealthy(home);
});
afterEach(() => home.remove());

/** Records a program as the Node that runs the worker. */
const recordNode = (script: string) =>
  writeFileSync(home.paths.nodeRecord, home.write(join(home.home, "node"), `#!/bin/sh\n${script}\n`, 0o700));

test.each<[string, () => void, RegExp]>([
  [
    "no Node is recorded",
    () => rmSync(home.paths.nodeRecord),
    /^fail node for the worker: .* is missing or empty \| `beckon upgrade` records/,
  ],
  [
    "the recorded Node is gone",
    () => writeFileSync(home.paths.nodeRecord, "/gone/node\n"),
    /^fail node for the worker: \/gone\/node does not exist or .*; meanwhile the worker runs with \/.*node \| `beckon upg/,
  ],
  [
    "the recorded Node does not run",
    () => recordNode("exit 1"),
    /^fail node for the worker: .* does not run .*--version/,
  ],
  [
    "the recorded Node is too old",
    () => recordNode("echo v18.20.1"),
    /^fail node for the worker: .* is v18\.20\.1 \| Install Node 20 or newer/,
  ],
  [
    "the launcher is missing",
    () => rmSync(home.paths.launcher),
    /^fail launcher: .* is missing: .* \| beckon install$/,
  ],
  [
    "the launcher is not executable",
    () => chmodSync(home.paths.launcher, 0o600),
    /^fail launcher: .* not executable: .* \| chmod 700 /,
  ],
  [
    "the launcher is that of another version",
    () => writeFileSync(home.paths.launcher, "#!/bin/sh\n"),
    /^warn launcher: .* differs from the one in .*app \| beckon install$/,
  ],
  [
    "the worker is missing",
    () => rmSync(home.paths.worker),
    /^fail worker program: .* is missing: .* \| beckon install$/,
  ],
])("a check reports that %s", async (_, make, expected) => {
  make();
  expect(problemsIn((await runChecks(home)).results)).toEqual([expect.stringMatching(expected)]);
});

test("missing programs are reported", async () => {
  const { results } = await runChecks(home, { path: [join(home.home, "empty")] });
  const missing = results.filter(({ status }) => status !== "ok").map(({ name, status }) => `${name}: ${status}`);
  expect(missing).toEqual(["node on PATH: warn", "sh: fail", "timeout: warn", "setsid: warn"]);
});
