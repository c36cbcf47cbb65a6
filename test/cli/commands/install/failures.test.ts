import { join } from "node:path";
import { expect, test } from "vitest";
import { useCliHome } from "../../../world/cli-home.ts";

const home = useCliHome();

/** Makes the install record unreadable. */
function breakRecord(): void {
  home.write(join(home.paths.state, "installs", `${"0".repeat(32)}.json`), "{");
}

test.each([
  { line: "install --agent nope", exitCode: 2, words: 'unknown agent "nope"' },
  { line: "install --agent droid --events Nope", exitCode: 2, words: 'unknown event "Nope"' },
  { line: "install --wait 1.5", exitCode: 2, words: "--wait must be a whole number of seconds" },
  { line: "uninstall --agent nope", exitCode: 2, words: 'unknown agent "nope"' },
  { line: "install --yes", exitCode: 1, words: "this install record cannot be read" },
  { line: "uninstall", exitCode: 1, words: "this install record cannot be read" },
])("`$line` gives its reason on standard error, exit code $exitCode", async ({ line, exitCode, words }) => {
  breakRecord();
  const result = await home.start(line.split(" "));
  expect({ ...result, stderr: "" }).toEqual({ exitCode, stdout: "", stderr: "" });
  expect(result.stderr).toMatch(/^beckon: /);
  expect(result.stderr).toContain(words);
});

test("the reason for which `upgrade --json` fails is not in its output", async () => {
  home.write(join(home.paths.app, "package.json"), '{ "version": "0.0.1" }');
  breakRecord();
  const { exitCode, stdout, stderr } = await home.start(["upgrade", "--json"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toContain("this install record cannot be read");
});
