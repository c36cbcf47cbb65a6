import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { expect, test } from "vitest";
import { removeNotifier } from "../../../../src/config/edit/edit-config.ts";
import { toObject } from "../../../../src/core/json-value.ts";
import { drawJsonc } from "../../../installer/jsonc-texts.ts";
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
  ] as const)
    expect(await set(path, value)).toMatchObject({ exitCode: 0, stdout: `Set ${path} in ~/.beckon/config.jsonc\n` });
  const muting = /^Set .* \(the route to desk\) in .*\n.*:4:3 warning routes: none .*\nWithout a route, .*: chime\n$/;
  expect((await set("routes[0].kinds", '["failed"]')).stdout).toMatch(muting);
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
  ["minTurn", "30s", 1, "Did you mean `attention.minTurn`?"],
  ["quietHours", "22:00-07:00", 1, "Did you mean `attention.quiet`?"],
  ["langua", "de", 1, "Did you mean `language`?"],
  ["notifiers.team", '{"type":"slack"}', 1, "notifiers.team.url is missing"],
  ["routes[3].to", '["desk"]', 1, "has no item routes.3\n  Give all items: beckon config set routes "],
  ["routes.chat.when", "away", 1, "routes.0 is the first"],
  ["notifiers.team", '{"type":"slack","url":"https://example.org/canary"}', 2, "must not be on the command line"],
  ["notifiers.chat.url", "https://example.org/canary", 2, "is private and must not be on the command line"],
  ["notifiers.phone", '{"type":"ntfy","topic":"canary"}', 2, "notifiers.phone.topic is private"],
  ["notifiers.chit.detail", "full", 1, "has no notifier chit\n  Did you mean `chat`?"],
])("%s = %s is refused, and nothing is written", async (path, value, exitCode, message) => {
  const notifiers = { chat: { type: "slack", url: "${env:NAME}" } };
  home.config({ language: "en", notifiers, routes: [{ to: ["chat"] }], attention: { away: "x" } });
  const before = text();
  const result = await set(path, value);
  expect(result).toMatchObject({ exitCode, stdout: "", stderr: expect.stringContaining(message) });
  expect(result.stderr).not.toContain("canary");
  expect(text()).toBe(before);
});

test("a folder for answers must exist, but a pattern may match none yet", async () => {
  home.config("{}");
  const setAnswers = (...projects: string[]) => set("answers", JSON.stringify({ agents: ["claude"], projects }));
  const stderr = expect.stringContaining("answers.projects: there is no folder /nope");
  expect(await setAnswers("/nope")).toMatchObject({ exitCode: 1, stderr });
  expect(text()).toBe("{}");
  expect((await setAnswers(home.home, `${home.home}/**`, "~/nope/**", "**/shop")).exitCode).toBe(0);
  expect((await set("answers.projects", '["/nope"]')).exitCode).toBe(1);
  home.config({ answers: { agents: ["claude"], projects: ["/nope"] } });
  expect((await set("answers.wait", "5m")).stdout).toMatch(/agents' hooks follow: .*beckon install/);
  home.config({ answers: { agents: ["codex"], projects: ["**"] } });
  expect((await set("answers.when", "always")).stdout).toMatch(/warning answers\.when: does not apply to Codex/);
});

test("while an error leaves no notifier, the last file without one applies, and set, show and check say so", async () => {
  home.write(join(home.paths.root, "secrets", "config.jsonc"), '{ "language": "fr" }');
  home.config({ notifiers: { team: { type: "slack" } } });
  expect((await set("language", "de")).stdout).toMatch(/^Set language.*\nIt does not apply before .*config check\n$/);
  const { stdout, stderr } = await home.run(["config", "show"]);
  expect([JSON.parse(stdout).language, stderr]).toEqual([
    "fr",
    expect.stringContaining("The last file without an error"),
  ]);
  expect((await home.run(["config", "check"])).stdout).toContain("the last file without an error is used");
  expect((await home.run(["status"])).stdout).toMatch(/config\.jsonc +2 problems/);
});

test("settings that are changed at once are all written, also into a new file", async () => {
  const names = ["desk", "chime", "one", "two", "three"];
  const results = await Promise.all(names.map((name) => set(`notifiers.${name}`, '{"type":"terminal"}')));
  expect(results.map(({ exitCode }) => exitCode)).toEqual(names.map(() => 0));
  expect(Object.keys(toObject(toObject(written()).notifiers))).toEqual(expect.arrayContaining(names));
});

test("a setting that is not there cannot be removed, and no file is made", async () => {
  const { exitCode, stderr } = await home.run(["config", "unset", "attention.quiet"]);
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/has no attention\.quiet\n {2}.*config show/)]);
  expect(existsSync(home.paths.config)).toBe(false);
});

test("a notifier goes with its routes and saved secret; comments and everything else stay", async () => {
  const secret = home.write(join(home.paths.root, "secrets", "team-url"), "https://example.org/x");
  const other = home.write(join(home.paths.root, "secrets", "other"), "x");
  home.config(`{
  // my notifiers
  "notifiers": {
    "desk": { "type": "desktop" }, // stays
    "team": { "type": "slack", "url": "\${file:${secret}}" }
  },
  "routes": [
    { "kinds": ["failed"], "to": ["team"] },
    { "kinds": ["needs-you"], "to": ["desk", "team"] } // stays too
  ]
}
`);
  const { exitCode, stdout } = await home.run(["config", "remove", "team"]);
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Removed team from") });
  expect([existsSync(secret), existsSync(other)]).toEqual([false, true]);
  for (const comment of ["// my notifiers", "// stays", "// stays too"]) expect(text()).toContain(comment);
  expect(written()).toEqual({
    notifiers: { desk: { type: "desktop" } },
    routes: [{ kinds: ["needs-you"], to: ["desk"] }],
  });
});

test("an unknown name is an error with suggestions, and nothing is changed", async () => {
  home.config({ notifiers: { team: { type: "desktop" } } });
  const before = text();
  const stderr = expect.stringMatching(/has no notifier taem\n.*`team`/);
  expect(await home.run(["config", "remove", "taem"])).toMatchObject({ exitCode: 1, stderr });
  expect(text()).toBe(before);
});

test.each([
  ["the only one", [{ to: ["a"] }], true],
  ["the only one for requests", [{ to: ["a"] }, { kinds: ["failed"], to: ["c"] }], true],
  ["one of two", [{ to: ["a"] }, { kinds: ["needs-you"], to: ["c"] }], false],
  ["the last notifier without routes", undefined, false],
])("the removal of a route is reported if it leaves requests without one: %s", async (_, routes, isSaid) => {
  const notifiers = { a: { type: "desktop" }, b: { type: "sound" }, c: { type: "terminal" } };
  home.config({ notifiers, ...(routes && { routes }) });
  const { stdout } = await home.run(["config", "remove", "b", "a"]);
  expect(stdout.includes("No route takes requests")).toBe(isSaid);
  if (!routes) expect((await home.run(["config", "remove", "c"])).stdout).toContain("No route takes requests");
});

test("nothing else changes, whatever the layout", () => {
  const before = {
    notifiers: { a: { type: "desktop" }, b: { type: "sound" } },
    routes: [{ to: ["a"] }, { to: ["b", "a", "a"] }, { on: ["Stop"], to: ["b"] }],
    other: [1, { x: "y" }],
  };
  fc.assert(
    fc.property(drawJsonc(fc.constant(before)), (layout) => {
      expect(parse(removeNotifier(layout, "config.jsonc", "a"))).toEqual({
        ...before,
        notifiers: { b: { type: "sound" } },
        routes: [{ to: ["b"] }, { on: ["Stop"], to: ["b"] }],
      });
    }),
  );
});
