import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type CliHome, type CliResult, createCliHome } from "../../../../world/cli-home.ts";
import { keys } from "../../../../world/service/access.ts";
import { noonMs } from "../../../../world/service/client.ts";
import { type Sandbox, startSandbox } from "../../../../world/service/server.ts";

/** Two organizations: that of `service`, and that of a profile, each with a service of its own. */
let ours: Sandbox;
let theirs: Sandbox;
let home: CliHome;
let marker: string;
beforeAll(async () => {
  ours = await startSandbox({ sizes: { users: 3 } });
  theirs = await startSandbox({ sizes: { users: 3 } });
});
afterAll(() => Promise.all([ours.close(), theirs.close()]));
beforeEach(() => {
  home = createCliHome();
  marker = join(home.home, "resolved");
  ours.seen.length = 0;
  theirs.seen.length = 0;
});
afterEach(() => home.remove());

/** Runs a command with these profiles and these variables. */
function run(line: string, profiles: unknown, env: NodeJS.ProcessEnv = {}): Promise<CliResult> {
  home.config({ service: { baseUrl: ours.baseUrl, appUrl: ours.appUrl, apiKey: keys.owner, profiles } });
  const environment = { home: home.home, project: home.project, env: { ...home.env, ...env }, platform: "linux" };
  return home.run(["service", ...line.split(" ")], { environment, now: () => noonMs } as object);
}
const bearersAt = ({ seen }: Sandbox) => [...new Set(seen.map(({ authorization }) => authorization))];
const acme = () => ({ baseUrl: theirs.baseUrl, appUrl: theirs.appUrl, apiKey: keys.manager });

test.each([
  "users list --profile acme",
  "analytics tokens --profile acme",
  "readiness reports --profile acme",
  "api GET /api/v0/organization/users --profile acme",
  "report --since 7d --profile acme",
])("beckon service %s asks the profile's service, with its key alone", async (line) => {
  const { exitCode, stderr } = await run(line, { acme: acme() });
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining("beckon:")]);
  expect([bearersAt(theirs), bearersAt(ours)]).toEqual([[`Bearer ${keys.manager}`], []]);
});

test("without --profile it is the organization of `service`", async () => {
  expect((await run("users list", { acme: acme() })).exitCode).toBe(0);
  expect([bearersAt(theirs), bearersAt(ours)]).toEqual([[], [`Bearer ${keys.owner}`]]);
});

test("a profile with a key alone has the addresses of `service`", async () => {
  expect((await run("users list --profile acme", { acme: { apiKey: keys.member } })).exitCode).toBe(0);
  expect(bearersAt(ours)).toEqual([`Bearer ${keys.member}`]);
});

test("the environment's variables, which are another organization's, are not used", async () => {
  const env = { BECKON_BASE_URL: ours.baseUrl, BECKON_API_KEY: keys.owner };
  expect((await run("users list --profile acme", { acme: acme() }, env)).exitCode).toBe(0);
  expect([bearersAt(theirs), bearersAt(ours)]).toEqual([[`Bearer ${keys.manager}`], []]);
});

test("only the references of the chosen profile are resolved", async () => {
  const profiles = { acme: acme(), other: { apiKey: `\${command:touch ${marker}}` } };
  expect((await run("users list --profile acme", profiles)).exitCode).toBe(0);
  expect((await run("users list", profiles)).exitCode).toBe(0);
  expect(existsSync(marker)).toBe(false);
  const { stderr } = await run("users list --profile other", profiles);
  expect(existsSync(marker)).toBe(true);
  expect(stderr).toContain("service.profiles.other.apiKey: ${command:touch …} gives nothing");
});

test.each([
  ["baseUrl", "users list"],
  ["appUrl", "readiness reports"],
] as const)("the key of `service` is never sent to the %s of a profile", async (name, line) => {
  const { exitCode, stderr } = await run(`${line} --profile acme`, { acme: { [name]: theirs[name] } });
  expect([exitCode, theirs.seen, ours.seen]).toEqual([1, [], []]);
  expect(stderr).toMatch(/the profile acme has no apiKey\n {2}Set `service\.profiles\.acme\.apiKey` in \/.*jsonc\.\n$/);
});

test("a profile's key is never sent to the web application of another service", async () => {
  const { exitCode, stderr } = await run("readiness reports --profile acme", {
    acme: { baseUrl: theirs.baseUrl, apiKey: keys.manager },
  });
  expect([exitCode, ours.seen]).toEqual([1, []]);
  expect(stderr).toMatch(/Set `service\.profiles\.acme\.appUrl`(?!.*BECKON_)/);
});

test.each<[what: string, profiles: unknown, exitCode: number, says: RegExp]>([
  [
    "unknown",
    { acme: {}, "north-west": {} },
    2,
    /there is no profile amce\n {2}The profiles are acme, north-west\.\n$/,
  ],
  ["unknown, and there is none", undefined, 2, /there is no profile amce\n {2}Add it as `service\.profiles` in \//],
  ["named like a part of every object", {}, 2, /there is no profile amce/],
  ["wrong", { amce: { apiKey: 7 } }, 1, /amce cannot be used: service\.profiles\.amce\.apiKey \(line 1\): /],
  ["not an object", { amce: 7 }, 1, /amce cannot be used: service\.profiles\.amce \(line 1\): /],
  ["in no object", 7, 1, /amce cannot be used: service\.profiles \(line 1\): /],
  ["with a broken key", { amce: { apiKey: "two words" } }, 1, /service\.profiles\.amce\.apiKey/],
])("a profile that is %s is an error that says what to do", async (_, profiles, exitCode, says) => {
  const result = await run("users list --profile amce", profiles);
  expect([result.exitCode, ours.seen]).toEqual([exitCode, []]);
  expect(result.stderr).toMatch(says);
  expect(result.stderr).not.toContain("two words");
});

test.each(["constructor", "__proto__"])("%s is no profile", async (name) => {
  expect((await run(`users list --profile ${name}`, { acme: acme() })).exitCode).toBe(2);
});
