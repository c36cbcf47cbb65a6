import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { connect } from "../../../../../src/cli/commands/service/request/connect.ts";
import type { CliContext } from "../../../../../src/cli/context.ts";
import { CommandError } from "../../../../../src/cli/errors.ts";
import { type CliHome, createCliHome } from "../../../../world/cli-home.ts";
import { jwt, keys } from "../../../../world/service/access.ts";
import { failureOf } from "../../../../world/service/client.ts";
import { type Sandbox, startSandbox } from "../../../../world/service/server.ts";

let sandbox: Sandbox;
let home: CliHome;
beforeAll(async () => {
  sandbox = await startSandbox({ sizes: { users: 3 } });
});
afterAll(() => sandbox.close());
beforeEach(() => {
  home = createCliHome();
  sandbox.seen.length = 0;
});
afterEach(() => {
  vi.unstubAllEnvs();
  home.remove();
});

/** Requests users with these variables; returns the `Authorization` that the service received. */
async function bearerOf(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const context = { paths: home.paths, environment: { ...placeOf(env) } } as CliContext;
  await (await connect(context)).users.list({ limit: 1 }).page();
  return sandbox.seen.at(-1)?.authorization;
}
const placeOf = (env: NodeJS.ProcessEnv) => ({
  home: home.home,
  project: home.project,
  env: { ...home.env, ...env },
  platform: process.platform,
});
const failure = async (env: NodeJS.ProcessEnv = {}) => (await failureOf(bearerOf(env))) as CommandError;
/** An address without a server. */
const elsewhere = "http://127.0.0.1:9";

test.each([
  {
    name: "the environment alone is enough",
    env: () => ({ BECKON_BASE_URL: sandbox.baseUrl, BECKON_API_KEY: keys.owner }),
    bearer: keys.owner,
  },
  {
    name: "a JWT is accepted",
    env: () => ({ BECKON_BASE_URL: sandbox.baseUrl, BECKON_JWT: jwt }),
    bearer: jwt,
  },
  {
    name: "a key wins over a JWT",
    env: () => ({ BECKON_BASE_URL: sandbox.baseUrl, BECKON_API_KEY: keys.owner, BECKON_JWT: jwt }),
    bearer: keys.owner,
  },
  {
    name: "the configuration alone is enough",
    config: () => ({ baseUrl: sandbox.baseUrl, apiKey: keys.manager }),
    bearer: keys.manager,
  },
  {
    name: "a variable wins over the configuration",
    config: () => ({ baseUrl: elsewhere, apiKey: keys.manager }),
    env: () => ({ BECKON_BASE_URL: sandbox.baseUrl, BECKON_API_KEY: keys.owner }),
    bearer: keys.owner,
  },
  {
    name: "an empty variable counts as unset",
    config: () => ({ baseUrl: sandbox.baseUrl, apiKey: keys.manager }),
    env: () => ({ BECKON_BASE_URL: "", BECKON_API_KEY: "" }),
    bearer: keys.manager,
  },
  {
    name: "the configured key is sent to the configured address repeated in a variable",
    config: () => ({ baseUrl: sandbox.baseUrl, apiKey: keys.manager }),
    env: () => ({ BECKON_BASE_URL: `${sandbox.baseUrl}/` }),
    bearer: keys.manager,
  },
  {
    name: "an unused reference is not resolved",
    config: () => ({ baseUrl: sandbox.baseUrl, apiKey: "${command:false}" }),
    env: () => ({ BECKON_API_KEY: keys.owner }),
    bearer: keys.owner,
  },
])("$name", async ({ config, env, bearer }) => {
  if (config) home.config({ service: config() });
  expect(await bearerOf(env?.() ?? {})).toBe(`Bearer ${bearer}`);
});

test("the key can come from a variable, a file or a command", async () => {
  vi.stubEnv("BECKON_TEST_KEY", keys.owner);
  const file = home.write(join(home.home, "key"), `${keys.manager}\n`);
  const references = ["${env:BECKON_TEST_KEY}", `\${file:${file}}`, `\${command:echo ${keys.member}}`];
  const bearers: unknown[] = [];
  for (const apiKey of references) {
    home.config({ service: { baseUrl: sandbox.baseUrl, apiKey } });
    bearers.push(await bearerOf({}));
  }
  expect(bearers).toEqual([keys.owner, keys.manager, keys.member].map((key) => `Bearer ${key}`));
});

test("a variable cannot direct the configured key to another address", async () => {
  home.config({ service: { baseUrl: elsewhere, apiKey: keys.manager } });
  for (const name of ["BECKON_BASE_URL", "BECKON_APP_URL"]) {
    const error = await failure({ [name]: sandbox.baseUrl });
    expect(error.message).toBe(
      `${name} is not an address in the configuration, and the configured key is sent only to those`,
    );
    expect(error.hint).toBe(`Set BECKON_API_KEY as well, or unset ${name}.`);
  }
  expect(sandbox.seen).toEqual([]);
});

test.each([
  {
    name: "nothing set",
    message: /no address is set for the service/,
    hint: /^Set BECKON_BASE_URL, or `service.baseUrl` in \/.*jsonc\.$/,
  },
  {
    name: "no key",
    env: { BECKON_BASE_URL: elsewhere },
    message: /no key/,
    hint: /^Set BECKON_API_KEY, or `service.apiKey` in /,
  },
  {
    name: "a section without a key",
    config: { service: { baseUrl: elsewhere } },
    message: /configuration of the service is invalid: service.apiKey \(line 1\): .*missing/,
    hint: /^Correct it in \/.*jsonc, or set BECKON_BASE_URL and BECKON_API_KEY\.$/,
  },
  { name: "a broken file", config: "{", message: /configuration of the service is invalid/, hint: /Correct it/ },
  {
    name: "an invalid address in the environment",
    env: { BECKON_BASE_URL: "http://example.com", BECKON_API_KEY: "canary-key" },
    message: /`baseUrl` must be an https:\/\/ address/,
    hint: /BECKON_BASE_URL/,
  },
  {
    name: "an invalid key",
    env: { BECKON_BASE_URL: elsewhere, BECKON_API_KEY: "canary key" },
    message: /`apiKey` must be printable ASCII without spaces/,
    hint: /BECKON_API_KEY, or `service.apiKey`/,
  },
  {
    name: "an unset variable",
    config: { service: { baseUrl: elsewhere, apiKey: "${env:BECKON_TEST_UNSET}" } },
    message: /service.apiKey: \$\{env:BECKON_TEST_UNSET\} gives nothing/,
    hint: /^Export it in this shell\.$/,
  },
  {
    name: "a missing file",
    config: { service: { baseUrl: elsewhere, apiKey: "${file:/nowhere/key}" } },
    message: /cannot be read \(ENOENT\)/,
    hint: /configuration/,
  },
])("$name is reported with what to do", async ({ env, config, message, hint }) => {
  if (config) home.config(config);
  const error = await failure(env);
  expect(error).toBeInstanceOf(CommandError);
  expect(error.message).toMatch(message);
  expect(error.hint).toMatch(hint);
  expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain("canary");
});
