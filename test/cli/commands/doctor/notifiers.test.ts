import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { slack } from "../../../../src/notifiers/slack.ts";
import { type CliHome, createCliHome } from "../../../world/cli-home.ts";
import { installHealthy, problemsIn, runChecks } from "../../../world/doctor-home.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
  installHealthy(home);
});
afterEach(() => home.remove());

const team = (url: string) => home.config({ notifiers: { team: { type: "slack", url } } });
const fileReference = (mode?: number) => `\${file:${home.write(join(home.home, "s"), "canary-7Xw", mode)}}`;

test.each<[string, () => void, RegExp]>([
  [
    "there is no notifier",
    () => home.config({ notifiers: {} }),
    /^fail notifiers: none: .*journal \| beckon config add$/,
  ],
  [
    "a secret is not set",
    () => team("${env:BECKON_TEST_UNSET}"),
    /^fail notifier team: .*\$\{env:BECKON_TEST_UNSET\} gives nothing \| Set it/,
  ],
  [
    "the file of a secret is open to others",
    () => team(fileReference(0o644)),
    /^fail notifier team: .* can be read by others \| .*chmod 600/,
  ],
  [
    "a secret is no address",
    () => team(fileReference()),
    /^fail notifier team: .*not usable once its reference is resolved.* \| ./,
  ],
])("a check reports that %s", async (_, make, expected) => {
  make();
  const { exitCode, results } = await runChecks(home);
  expect(problemsIn(results)).toEqual([expect.stringMatching(expected)]);
  expect(exitCode).toBe(1);
});

test("a notifier that did not work at the last event is a warning, until one was sent again", async () => {
  const line = { id: "event-0001", notifier: "team" } as const;
  home.journal({ ...line, status: "skipped", reason: "unsupported: no sound server" });
  expect(problemsIn((await runChecks(home)).results)).toEqual([
    expect.stringMatching(
      /^warn notifier team: did not work at 20.*: unsupported: no sound server \| beckon test team$/,
    ),
  ]);
  expect((await home.run(["status"])).stdout).toMatch(
    /team +slack +did not work at 20.*: unsupported: no sound server/,
  );
  home.journal({ ...line, status: "sent" });
  expect(problemsIn((await runChecks(home)).results)).toEqual([]);
  expect((await home.run(["status"])).stdout).toMatch(/team +slack +ready/);
});

test("an error in the configuration is reported with its position", async () => {
  team("canary-7Xw");
  expect(problemsIn((await runChecks(home)).results)).toContainEqual(
    expect.stringMatching(/^fail configuration: .*config\.jsonc:1:\d+ notifiers\.team\.url: .* \| .*config check/),
  );
});

test("a check reports who stands in for what an error took away", async () => {
  team("canary-7Xw");
  expect(problemsIn((await runChecks(home)).results)).toContainEqual(
    expect.stringMatching(/^warn configuration: .*needs-you or failed.* default-desk, default-chime \| ./),
  );
});

test("a notifier's own check is called, with its settings resolved", async () => {
  slack.check = async ({ settings: { url } }) => `there is no lamp at ${url}`;
  const { exitCode, results } = await runChecks(home).finally(() => delete slack.check);
  expect(exitCode).toBe(0);
  expect(problemsIn(results)).toEqual(["warn notifier team: there is no lamp at [secret] | beckon test team"]);
});
