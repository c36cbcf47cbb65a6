import { existsSync, readFileSync } from "node:fs";
import { parse } from "jsonc-parser";
import { expect, test } from "vitest";
import { useCliHome } from "../../../world/cli-home.ts";
import { readOutput } from "../../../world/json-output.ts";

const home = useCliHome();
const set = (...args: string[]) => home.run(["config", "set", ...args]);
const text = () => readFileSync(home.paths.config, "utf8");
const written = () => parse(text()) as unknown;

test("a setting is written with its parents, replaced in place, and removed; comments stay", async () => {
  home.config('{\n  // mine\n  "language": "en", // for now\n  "routes": [{ "to": ["desk"] }]\n}\n');
  for (const [path, value] of [
    ["attention.quiet", "22:00-07:00"],
    ["attention.watching.needs-you", "30s"],
    ["attention.judgeLate", "false"],
    ["language", "de"],
    ["routes[0].kinds", '["failed"]'],
  ] as const)
    expect(await set(path, value)).toMatchObject({ exitCode: 0, stdout: `Set ${path} in ~/.beckon/config.jsonc\n` });
  expect(written()).toEqual({
    language: "de",
    routes: [{ to: ["desk"], kinds: ["failed"] }],
    attention: { quiet: "22:00-07:00", watching: { "needs-you": "30s" }, judgeLate: false },
  });
  expect(text()).toMatch(/^\{\n {2}\/\/ mine\n {2}"language": "de", \/\/ for now\n/);
  const file = home.paths.config;
  const json = await set("delivery.linger", "1m", "--json");
  expect(readOutput("config set", json.stdout)).toEqual([{ path: "delivery.linger", file, isSet: true }]);
  await home.run(["config", "unset", "delivery"]);
  const { stdout } = await home.run(["config", "unset", "attention.watching", "--json"]);
  expect(readOutput("config unset", stdout)).toEqual([{ path: "attention.watching", file, isSet: false }]);
  expect(written()).toHaveProperty("attention", { quiet: "22:00-07:00", judgeLate: false });
});

test("a change of a default notifier writes the others too, and so does the removal of one", async () => {
  expect((await set("notifiers.desk.detail", "minimal")).exitCode).toBe(0);
  expect((await home.run(["config", "remove", "chime"])).exitCode).toBe(0);
  expect(written()).toHaveProperty("notifiers", { desk: { type: "desktop", detail: "minimal" } });
});

test("without a file, one default notifier can be removed", async () => {
  expect((await home.run(["config", "remove", "chime"])).exitCode).toBe(0);
  expect(written()).toMatchObject({ notifiers: { desk: { type: "desktop" } } });
});

test.each([
  ["attention.minTurn", "thirty", 1, 'attention.minTurn: must be a duration such as "30s" or "5m"'],
  ["attention.minTrun", "30s", 1, "Did you mean `minTurn`?"],
  ["notifiers.team", '{"type":"slack"}', 1, "notifiers.team.url is missing"],
  ["routes[3].to", '["desk"]', 1, "has no item routes.3"],
  ["notifiers.chat.url", "https://example.org/canary", 2, "is a secret and must not be on the command line"],
])("%s = %s is refused, and nothing is written", async (path, value, exitCode, message) => {
  home.config({ language: "en", notifiers: { chat: { type: "slack", url: "${env:NAME}" } }, attention: { away: "x" } });
  const before = text();
  const result = await set(path, value);
  expect(result).toMatchObject({ exitCode, stdout: "", stderr: expect.stringContaining(message) });
  expect(result.stderr).not.toContain("canary");
  expect(text()).toBe(before);
});

test("a setting that is not there cannot be removed, and no file is made", async () => {
  const { exitCode, stderr } = await home.run(["config", "unset", "attention.quiet"]);
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/has no attention\.quiet\n {2}.*config show/)]);
  expect(existsSync(home.paths.config)).toBe(false);
});
