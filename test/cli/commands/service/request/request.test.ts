import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { parsePeriod } from "../../../../../src/cli/commands/service/request/period.ts";
import { UsageError } from "../../../../../src/core/errors.ts";
import { jwt, keys } from "../../../../../src/fake-service/access.ts";
import { type CliResult, serve, useCliHome } from "../../../../world/cli-home.ts";
import { answer, type Behaviour, htmlPage, openHostileServer } from "../../../../world/hostile-server.ts";
import { readError } from "../../../../world/json-output.ts";
import { noonMs } from "../../../../world/service/client.ts";
import { apiKey, jsonReply, statusReply } from "../../../../world/service/hostile-service.ts";
import { type Sandbox, startSandbox } from "../../../../world/service/server.ts";
import { createTerminal, sharedServiceHome } from "../../../../world/service-home.ts";
import { useShared } from "../../../../world/use.ts";

const splitLines = (text: string): string[] => text.trimEnd().split("\n");

describe("run operation", () => {
  const world = sharedServiceHome({ users: 250, sessions: 30, reports: 45, changes: 30 });
  const queries = () => world.sandbox.seen.map(({ url }) => Object.fromEntries(url.searchParams));
  const parseLines = (stdout: string) => splitLines(stdout).map((line) => JSON.parse(line));

  describe("a list", () => {
    test("shows one page, and says on standard error how to get the rest", async () => {
      const { stdout, stderr } = await world.run("analytics users --since 1d --json");
      const rows = parseLines(stdout);
      expect(rows).toHaveLength(20);
      const next = `--cursor ${rows.at(-1).user_id}`;
      expect(stderr).toBe(`There are more rows. Use --all to get everything, or ${next} for the next page.\n`);
    });

    test("continues at a cursor", async () => {
      const { stdout } = await world.run("analytics users --since 1d --limit 3 --cursor user_000019 --json");
      expect(parseLines(stdout).map((row) => row.user_id)).toEqual(["user_000020", "user_000021", "user_000022"]);
    });

    test("with --all is requested in pages of 100, without remarks", async () => {
      const { stdout, stderr } = await world.run("users list --all --json");
      expect(new Set(parseLines(stdout).map(({ id }) => id)).size).toBe(250);
      expect(queries().map(({ limit }) => limit)).toEqual(["100", "100", "100"]);
      expect(stderr).toBe("");
    });

    const withCursor = expect.stringMatching(/^There are more rows\. .* --cursor \S+ for/);
    test.each([
      ["users list --limit 250", 250, ["100", "100", "100"], ""],
      ["users list --limit 230", 230, ["100", "100", "100"], "There are more rows. Use --all to get everything.\n"],
      ["enterprise-controls history --limit 10", 10, ["10"], withCursor],
      ["readiness reports --limit 50", 45, ["50", "50"], ""],
    ])("%s shows the requested rows, from the necessary pages", async (line, rows, limits, stderr) => {
      const result = await world.run(`${line} --json`);
      expect([parseLines(result.stdout).length, result.stderr]).toEqual([rows, stderr]);
      expect(queries().map(({ limit }) => limit)).toEqual(limits);
    });

    test("of reports may have more, and with --all ends at a page without new items", async () => {
      const { stdout, stderr } = await world.run("readiness reports --limit 20 --json");
      const last = parseLines(stdout).at(-1).reportId;
      expect(stderr).toBe(
        `There may be more rows. Use --all to get everything, or --start-after ${last} for the next page.\n`,
      );
      expect(parseLines((await world.run("readiness reports --all --json")).stdout)).toHaveLength(45);
    });

    test("of days shows all of them, or as many as --limit says", async () => {
      const { stdout, stderr } = await world.run("analytics activity --since 5d --limit 2 --json");
      expect(parseLines(stdout)).toHaveLength(2);
      expect(stderr).toBe("There are more rows. Use --all to get everything.\n");
      expect(queries()[0]).toEqual({ startDate: "2026-06-10", endDate: "2026-06-14" });
      const long = await world.run("analytics tokens --since 300d --json");
      expect([long.exitCode, parseLines(long.stdout).length]).toEqual([0, 152]);
      expect(long.stderr).toBe("The data begins on 2026-01-14, so --since 300d starts there.\n");
      expect(queries()).toHaveLength(1 + 6);
    });

    test("without items says so as a table, has only a header as CSV, and is empty as JSON", async () => {
      const line = "readiness reports --repo-id repo-99";
      expect((await world.run(line)).stdout).toBe("No results.\n");
      expect((await world.run(`${line} --csv`)).stdout).toMatch(/^reportId,createdAt,[\w.,]+\r\n$/);
      expect((await world.run(`${line} --json`)).stdout).toBe("");
    });

    test("of changes names the changed settings, and never shows a key", async () => {
      const { stdout } = await world.run("enterprise-controls history --limit 30");
      const row = stdout.split("\n").find((line) => line.trim().startsWith("21 "));
      expect(row).toMatch(/cloudSessionSync, sessionRetentionDays, customModels$/);
      // The revision before the last row is not on the page.
      expect(splitLines(stdout).at(-1)).toMatch(/ \?$/);
      for (const how of ["", " --json", " --csv"]) {
        const output = await world.run(`enterprise-controls history --all${how}`);
        expect(`${output.stdout}${output.stderr}`).not.toContain("canary");
        if (how !== "") expect(output.stdout).toContain("[secret]");
      }
    });
  });

  describe("a failure names the place, the cause and a remedy", () => {
    const wrongKey =
      /^beckon: http:\/\/127\.0\.0\.1:\d+ answered 401 Unauthorized: Missing or invalid API key\. \(request req_\d+\)\n {2}.*create one at http.*\/settings\/api-keys/;
    const notInRole =
      /answered 403 Forbidden: Manager or Owner role required\..*\n {2}This needs the key of a Manager or Owner/;
    const notAJwt = /analytics tokens needs an API key instead of a JWT\n {2}Set BECKON_API_KEY/;
    test.each<[string, NodeJS.ProcessEnv, RegExp]>([
      ["a wrong key", { BECKON_API_KEY: "wrong-key-canary" }, wrongKey],
      ["a member's key", { BECKON_API_KEY: keys.member }, notInRole],
      ["a JWT where only keys are accepted", { BECKON_API_KEY: "", BECKON_JWT: jwt }, notAJwt],
      ["an address without a server", { BECKON_BASE_URL: elsewhere }, /cannot be reached \(ECONNREFUSED\)\n {2}\S/],
      ["a service that breaks", { BECKON_API_KEY: keys.broken }, /answered 500 .*\n {2}Try again later/],
    ])("%s", async (_, env, says) => {
      const { exitCode, stdout, stderr } = await world.run("analytics tokens", {}, { BECKON_DEBUG: "1", ...env });
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(says);
      for (const key of [...Object.values(keys), jwt, "wrong-key-canary"]) expect(stderr).not.toContain(key);
    });

    test("an unknown id in a command that is sent once", async () => {
      const { exitCode, stderr } = await world.run("computers install-deps nobody");
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/answered 404 Not Found: .*\(request req_\d+\)\n {2}Check the ids/);
      expect(world.sandbox.seen).toHaveLength(1);
    });

    test("a missing address of the web application, which only readiness reports need", async () => {
      const { exitCode, stderr } = await world.run("readiness reports", {}, { BECKON_APP_URL: "" });
      expect(exitCode).toBe(1);
      const says =
        /the address of the service's web application is not set\n {2}Set BECKON_APP_URL, or `service.appUrl` in \//;
      expect(stderr).toMatch(says);
      expect((await world.run("users list", {}, { BECKON_APP_URL: "" })).exitCode).toBe(0);
    });
  });

  describe("a long list", () => {
    test.each([
      ["users list --all --json", [100, 200]],
      ["readiness reports --all", [45]],
    ])(
      "%s shows its progress on standard error, and removes it before it prints and at the end",
      async (line, counts) => {
        const errorTerminal = createTerminal(80);
        const before: string[] = [];
        const print = (): void => void before.push(errorTerminal.written);
        await world.run(line, { errorTerminal, print });
        expect(before.filter((written) => !/^$|\r\u001b\[2K$/.test(written))).toEqual([]);
        const shown = counts.map((count) => `Fetched ${count} rows …`);
        expect(errorTerminal.written.split("\r\u001b[2K").filter(Boolean)).toEqual(shown);
        expect(errorTerminal.written.endsWith("\r\u001b[2K")).toBe(true);
      },
    );

    test("removes its progress if the service repeats a cursor", async () => {
      const reply = { users: [{ id: "user_1" }], pagination: { hasMore: true, nextCursor: "again" } };
      const { origin } = await serve((_, response) => void response.end(JSON.stringify(reply)));
      const errorTerminal = createTerminal(80);
      const env = { BECKON_BASE_URL: origin };
      const { exitCode, stdout } = await world.run("users list --all --json", { errorTerminal }, env);
      expect([exitCode, parseLines(stdout).length]).toEqual([1, 2]);
      expect(errorTerminal.written).toMatch(/Fetched[\s\S]*\r\u001b\[2K$/);
    });

    test.each([
      { name: "one page", line: "users list", env: {} },
      { name: "a terminal without cursor movement", line: "users list --all", env: { TERM: "dumb" } },
    ])("shows no progress for $name", async ({ line, env }) => {
      const errorTerminal = createTerminal(80);
      await world.run(line, { errorTerminal }, env);
      expect(errorTerminal.written).toBe("");
    });

    test("ends at Ctrl-C with 130 after a whole line, and removes its progress", async () => {
      const controller = new AbortController();
      const errorTerminal = createTerminal(80);
      let stdout = "";
      const print = (text: string): void => {
        stdout += `${text}\n`;
        if (stdout.split("\n").length === 150) controller.abort();
      };
      const interruption = () => controller.signal;
      const result = await world.run("users list --all --json", { errorTerminal, print, interruption });
      expect([result.exitCode, result.stderr]).toEqual([130, "Stopped.\n"]);
      expect(parseLines(stdout)).toHaveLength(200);
      expect(world.sandbox.seen).toHaveLength(2);
      expect(errorTerminal.written.endsWith("\r\u001b[2K")).toBe(true);
    });
  });

  test("a cursor and field names with control characters are not printed raw", async () => {
    const nasty = "\u001b]0;mine\u0007\u202e";
    const { origin } = await serve((request, response) => {
      const isFirst = !request.url?.includes("cursor");
      const users = [{ id: isFirst ? "user_1" : "user_2", ...(!isFirst && { [`${nasty}late`]: 1 }) }];
      response.end(JSON.stringify({ users, pagination: { hasMore: isFirst, nextCursor: `${nasty}next` } }));
    });
    const firstPage = await world.run("users list", {}, { BECKON_BASE_URL: origin });
    expect(firstPage.stderr).toBe("There are more rows. Use --all to get everything.\n");
    const all = await world.run("users list --all --csv", {}, { BECKON_BASE_URL: origin });
    expect(all.stderr).toBe("Left out because they first appeared after the header: late. Use --json to see them.\n");
  });
});

/** An address without a server. */
const elsewhere = "http://127.0.0.1:9";

describe("connect", () => {
  /** Two organizations, each with a separate service. */
  const ours = useShared("close", () => startSandbox({ sizes: { users: 3 } }));
  const theirs = useShared("close", () => startSandbox({ sizes: { users: 3 } }));
  const home = useCliHome();
  beforeEach(() => {
    for (const { seen } of [ours, theirs]) seen.length = 0;
  });

  /** Runs a command with these variables. */
  function run(line: string, env: NodeJS.ProcessEnv = {}): Promise<CliResult> {
    const environment = { ...home.environment, env: { ...home.env, ...env } };
    return home.run(["service", ...line.split(" ")], { environment, now: () => noonMs });
  }
  const bearersAt = ({ seen }: Sandbox) => [...new Set(seen.map(({ authorization }) => authorization))];

  const here = (apiKey: string) => () => ({ baseUrl: ours.baseUrl, apiKey });
  const inEnv = (more: object) => () => ({ BECKON_BASE_URL: ours.baseUrl, ...more });
  const none = () => undefined;
  const managersElsewhere = () => ({ baseUrl: elsewhere, apiKey: keys.manager });
  const repeated = () => ({ BECKON_BASE_URL: `${ours.baseUrl}/` });
  const [owner, unset] = [{ BECKON_API_KEY: keys.owner }, { BECKON_BASE_URL: "", BECKON_API_KEY: "" }];
  const repeats = "the configured key is sent to the configured address repeated in a variable";
  test.each<[name: string, config: () => object | undefined, env: () => NodeJS.ProcessEnv, bearer: string]>([
    ["the environment alone is enough", none, inEnv(owner), keys.owner],
    ["a JWT is accepted", none, inEnv({ BECKON_JWT: jwt }), jwt],
    ["a key wins over a JWT", none, inEnv({ ...owner, BECKON_JWT: jwt }), keys.owner],
    ["the configuration alone is enough", here(keys.manager), () => ({}), keys.manager],
    ["a variable wins over the configuration", managersElsewhere, inEnv(owner), keys.owner],
    ["an empty variable counts as unset", here(keys.manager), () => unset, keys.manager],
    [repeats, here(keys.manager), repeated, keys.manager],
    ["a reference is resolved", here(`\${command:echo ${keys.member}}`), () => ({}), keys.member],
    ["an unused reference is not resolved", here("${command:false}"), () => owner, keys.owner],
  ])("%s", async (_, config, env, bearer) => {
    const service = config();
    if (service) home.config({ service });
    expect(await run("users list", env())).toMatchObject({ exitCode: 0, stderr: "" });
    expect(bearersAt(ours)).toEqual([`Bearer ${bearer}`]);
  });

  test("a variable cannot direct the configured key to another address", async () => {
    home.config({ service: { baseUrl: elsewhere, apiKey: keys.manager } });
    for (const name of ["BECKON_BASE_URL", "BECKON_APP_URL"]) {
      const why = "the configured key is only sent to the configured addresses";
      const hint = `Set BECKON_API_KEY as well, or unset ${name}.`;
      const stderr = `beckon: ${why}, and ${name} is not one of them\n  ${hint}\n`;
      expect(await run("users list", { [name]: ours.baseUrl })).toEqual({ exitCode: 1, stdout: "", stderr });
    }
    expect(ours.seen).toEqual([]);
  });

  const configured = (service: object) => ({ config: { service: { baseUrl: elsewhere, ...service } } });
  const variables = (url: string, key?: string) => ({ env: { BECKON_BASE_URL: url, BECKON_API_KEY: key } });
  const keyMissing =
    /configuration of the service is invalid: service.apiKey \(line 1\): .*missing\.\n {2}Correct it in \/.*jsonc, or set BECKON_BASE_URL and BECKON_API_KEY\.\n/;
  const givesNothing = /service.apiKey: \$\{env:BECKON_TEST_UNSET\} is not set\n {2}Export it in this shell\.\n/;
  const spaces = /`apiKey` must be printable ASCII without spaces.*\n.*BECKON_API_KEY, or `service.apiKey`/;
  const noAddress = /the service's address is not set\n {2}Set BECKON_BASE_URL, or `service.baseUrl` in \/.*jsonc\.\n/;
  test.each<[string, { config?: object | string; env?: NodeJS.ProcessEnv }, says: RegExp]>([
    ["nothing set", {}, noAddress],
    ["no key", variables(elsewhere), /key is not set\n {2}Set BECKON_API_KEY, or `service.apiKey` in /],
    ["a section without a key", configured({}), keyMissing],
    ["a broken file", { config: "{" }, /configuration of the service is invalid.*\n.*Correct it/],
    [
      "an invalid address in the environment",
      variables("http://example.com", "canary-key"),
      /`baseUrl` must be an https:\/\/ address.*\n.*BECKON_BASE_URL/,
    ],
    ["an invalid key", variables(elsewhere, "canary key"), spaces],
    ["an unset variable", configured({ apiKey: "${env:BECKON_TEST_UNSET}" }), givesNothing],
    ["a missing file", configured({ apiKey: "${file:/nowhere/key}" }), /cannot be read \(ENOENT\)\n.*into that file/],
  ])("%s is reported with advice", async (_, { env, config }, says) => {
    if (config) home.config(config);
    const { exitCode, stdout, stderr } = await run("users list", { BECKON_DEBUG: "1", ...env });
    expect([exitCode, stdout, stderr]).toEqual([1, "", expect.stringMatching(says)]);
    expect(stderr).not.toContain("canary");
  });

  /** Runs a command with these profiles and variables. */
  function runWith(line: string, profiles: unknown, env?: NodeJS.ProcessEnv): Promise<CliResult> {
    home.config({ service: { baseUrl: ours.baseUrl, appUrl: ours.appUrl, apiKey: keys.owner, profiles } });
    return run(line, env);
  }
  const acme = () => ({ baseUrl: theirs.baseUrl, appUrl: theirs.appUrl, apiKey: keys.manager });

  test.each([
    "users list --profile acme",
    "analytics tokens --profile acme",
    "readiness reports --profile acme",
    "api GET /api/v0/organization/users --profile acme",
    "report --since 7d --profile acme",
  ])("beckon service %s asks the profile's service, with its key alone", async (line) => {
    const { exitCode, stderr } = await runWith(line, { acme: acme() });
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining("beckon:")]);
    expect([bearersAt(theirs), bearersAt(ours)]).toEqual([[`Bearer ${keys.manager}`], []]);
  });

  test("without --profile the organization of `service` is used", async () => {
    expect((await runWith("users list", { acme: acme() })).exitCode).toBe(0);
    expect([bearersAt(theirs), bearersAt(ours)]).toEqual([[], [`Bearer ${keys.owner}`]]);
  });

  test("a profile with a key alone has the addresses of `service`", async () => {
    expect((await runWith("users list --profile acme", { acme: { apiKey: keys.member } })).exitCode).toBe(0);
    expect(bearersAt(ours)).toEqual([`Bearer ${keys.member}`]);
  });

  test("environment variables for another organization are ignored", async () => {
    const env = { BECKON_BASE_URL: ours.baseUrl, BECKON_API_KEY: keys.owner };
    expect((await runWith("users list --profile acme", { acme: acme() }, env)).exitCode).toBe(0);
    expect([bearersAt(theirs), bearersAt(ours)]).toEqual([[`Bearer ${keys.manager}`], []]);
  });

  test("only the references of the chosen profile are resolved", async () => {
    const marker = join(home.home, "resolved");
    const profiles = { acme: acme(), other: { apiKey: `\${command:touch ${marker}}` } };
    expect((await runWith("users list --profile acme", profiles)).exitCode).toBe(0);
    expect((await runWith("users list", profiles)).exitCode).toBe(0);
    expect(existsSync(marker)).toBe(false);
    const { stderr } = await runWith("users list --profile other", profiles);
    expect(existsSync(marker)).toBe(true);
    expect(stderr).toContain("service.profiles.other.apiKey: ${command:touch …} is empty");
  });

  test.each([
    ["baseUrl", "users list"],
    ["appUrl", "readiness reports"],
  ] as const)("the key of `service` is never sent to the %s of a profile", async (name, line) => {
    const { exitCode, stderr } = await runWith(`${line} --profile acme`, { acme: { [name]: theirs[name] } });
    expect([exitCode, theirs.seen, ours.seen]).toEqual([1, [], []]);
    const says = /the profile acme has no apiKey\n {2}Set `service\.profiles\.acme\.apiKey` in \/.*jsonc\.\n$/;
    expect(stderr).toMatch(says);
  });

  test("a profile's key is never sent to the web application of another service", async () => {
    const profile = { baseUrl: theirs.baseUrl, apiKey: keys.manager };
    const { exitCode, stderr } = await runWith("readiness reports --profile acme", { acme: profile });
    expect([exitCode, ours.seen]).toEqual([1, []]);
    expect(stderr).toMatch(/Set `service\.profiles\.acme\.appUrl`(?!.*BECKON_)/);
  });

  const others = { acme: {}, "north-west": {} };
  test.each<[what: string, profiles: unknown, exitCode: number, says: RegExp]>([
    ["unknown", others, 2, /there is no profile amce\n {2}Known profiles: acme, north-west\.\n$/],
    ["unknown, and there is none", undefined, 2, /there is no profile amce\n {2}Add it as `service\.profiles` in \//],
    ["named like a part of every object", {}, 2, /there is no profile amce/],
    ["wrong", { amce: { apiKey: 7 } }, 1, /amce cannot be used: service\.profiles\.amce\.apiKey \(line 1\): /],
    ["not an object", { amce: 7 }, 1, /amce cannot be used: service\.profiles\.amce \(line 1\): /],
    ["in no object", 7, 1, /amce cannot be used: service\.profiles \(line 1\): /],
    ["with a broken key", { amce: { apiKey: "two words" } }, 1, /service\.profiles\.amce\.apiKey/],
  ])("a profile that is %s is an error with advice", async (_, profiles, exitCode, says) => {
    const result = await runWith("users list --profile amce", profiles);
    expect([result.exitCode, ours.seen]).toEqual([exitCode, []]);
    expect(result.stderr).toMatch(says);
    expect(result.stderr).not.toContain("two words");
  });

  test.each(["constructor", "__proto__"])("%s is not a profile", async (name) => {
    expect((await runWith(`users list --profile ${name}`, { acme: acme() })).exitCode).toBe(2);
  });
});

describe("misbehaving", () => {
  /**
   * A misbehaving service, with a command's output, messages and exit code. Incomplete data never passes as complete.
   */

  const home = useCliHome();
  const users = (pagination: object) => jsonReply({ users: [{ id: "u1" }, { id: "u2" }], pagination });
  const computer = { id: "c1", name: "n", providerType: "byom", createdAt: 1 };
  const counts = { files_created: 1, files_edited: 1, git_commits: 1, git_prs_created: 1 };
  const day = (date: string) => ({ date, ...counts, by_extension: [], by_language: [] });
  const june = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, n) => `2026-06-${String(from + n).padStart(2, "0")}`);
  const days = (dates: readonly string[], start = "2026-06-05", end = "2026-06-14") =>
    jsonReply({ data: dates.map(day), meta: { org_id: "o", start_date: start, end_date: end } });
  const noUsers = (start_date: string) =>
    jsonReply({ data: [], meta: { org_id: "o", start_date, end_date: "2026-06-14", has_more: false } });
  const [ten, lackingTwo] = [june(5, 14), [...june(5, 7), ...june(10, 14)]];
  const userWith = (email: unknown) => jsonReply({ users: [{ id: "u", email }], pagination: { hasMore: false } });
  const text = answer(200, { "x-request-id": "r7" }, "ok");
  const other = statusReply(422, { why: "x", token: "canary" });
  const period = "analytics productivity --since 10d";
  const change = "computers update c1 --name n";

  type Row = readonly [what: string, line: string, behaviour: Behaviour, exitCode: number, rows: number, says: RegExp];
  const table: readonly Row[] = [
    ["more and no cursor", "users list", users({ hasMore: true }), 1, 2, /2 rows came in 1 page, and there are more/],
    ["more and no cursor, --all", "users list --all", users({ hasMore: true }), 1, 2, /names no cursor/],
    ["an empty cursor", "users list --limit 250", users({ hasMore: true, nextCursor: "" }), 1, 2, /an empty cursor/],
    ["the same cursor", "users list --all", users({ hasMore: true, nextCursor: "x" }), 1, 2, /2 rows came in 2 pages/],
    ["more, but enough", "users list --limit 2", users({ hasMore: true, nextCursor: "x" }), 0, 2, /^There are more/],
    ["all days", period, days(ten), 0, 10, /^$/],
    ["days absent", period, days(lackingTwo), 1, 8, /2 of 10 days are missing.*06-08 to 2026-06-09/],
    ["a span clamped", period, days(june(8, 14), "2026-06-08"), 1, 7, /3 of 10 days are missing.*06-05 to 2026-06-07/],
    ["rows, but a clamped meta", period, days(ten, "2026-06-06"), 1, 10, /1 of 10 days are missing.*2026-06-05/],
    ["no rows", period, days([]), 1, 0, /10 of 10 days are missing/],
    ["users of fewer days", "analytics users --since 10d", noUsers("2026-06-06"), 1, 0, /1 of 10 days are missing/],
    ["no active users", "analytics users --since 10d", noUsers("2026-06-05"), 0, 0, /^$/],
    ["null fields", "users list", userWith(null), 0, 1, /^$/],
    [
      "a row that does not fit",
      "users list",
      userWith(7),
      1,
      0,
      /at users\[0\]\.email: .*\(GET \/api\/v0\/organization\/users, status 200\)\n(?!.*address).*\n {2}The reply: \{"id":"u","email":7\}$/,
    ],
    ["a page", "users list", htmlPage, 1, 0, /a web page instead of JSON.*\n.*addresses/],
    ["a PATCH with text", change, text, 1, 0, /request r7\)\n {2}It may have taken/],
    ["a PATCH that does not fit", change, jsonReply({ ...computer, id: 7 }), 1, 0, /at id: .*\n {2}It may have taken/],
    ["a PATCH with 502", change, statusReply(502), 1, 0, /answered 502\n {2}It may have taken effect/],
    ["{message}", change, statusReply(422, { message: "Bad name." }), 1, 0, /answered 422 Bad name\.\n/],
    ["another shape", change, other, 1, 0, /The reply: \{"why":"x","token":"\[secret\]"\}/],
  ];

  test.each(table)("%s: %s", async (_, line, behaviour, exitCode, rows, says) => {
    const server = await openHostileServer({ "*": behaviour });
    const env = { ...home.env, BECKON_BASE_URL: server.origin, BECKON_APP_URL: server.origin, BECKON_API_KEY: apiKey };
    const environment = { ...home.environment, env };
    const result = await home.run(["service", ...line.split(" "), "--json"], { environment, now: () => noonMs });
    const shown = result.stdout.split("\n").filter(Boolean).length;
    expect([result.exitCode, shown]).toEqual([exitCode, rows]);
    if (exitCode === 0) expect(result.stderr).toMatch(says);
    else {
      const { message, hint } = readError(result.stderr);
      expect(`${result.stderr}${message}\n  ${hint}`).toMatch(says);
    }
    expect(`${result.stdout}${result.stderr}`).not.toMatch(/canary|key\+7f/);
  });
});

const nowMs = Date.UTC(2026, 5, 15, 0, 0, 1);

test.each([
  ["the default is the last seven days with data", {}, "2026-06-08", "2026-06-14"],
  ["1d is yesterday", { since: "1d" }, "2026-06-14", "2026-06-14"],
  ["2w is fourteen days", { since: "2w" }, "2026-06-01", "2026-06-14"],
  ["a first day extends to yesterday", { since: "2026-06-10" }, "2026-06-10", "2026-06-14"],
  ["yesterday is a day", { since: "yesterday" }, "2026-06-14", "2026-06-14"],
  ["7d ends at --until", { since: "7d", until: "2026-03-01" }, "2026-02-23", "2026-03-01"],
  ["--until alone means seven days", { until: "2026-03-01" }, "2026-02-23", "2026-03-01"],
  ["a number of days begins at the first with data", { since: "400d" }, "2026-01-14", "2026-06-14"],
  ["99999 weeks do too", { since: "99999w" }, "2026-01-14", "2026-06-14"],
])("%s", (_, options, startDate, endDate) => {
  expect(parsePeriod(options, nowMs)).toEqual({ startDate, endDate });
});

test.each([
  ["today has no data yet", { until: "today" }, /--until 2026-06-15 is today \(UTC\): data has a 24-hour lag/],
  ["today by its date has none either", { until: "2026-06-15" }, /is today/],
  ["today as the start has none either", { since: "today" }, /--since 2026-06-15 is today/],
  ["tomorrow is in the future", { until: "2026-06-16" }, /is in the future/],
  ["an end before the start is rejected", { since: "2026-06-10", until: "2026-06-01" }, /is after/],
  ["a day before the first is rejected", { since: "2026-01-13" }, /before 2026-01-14/],
  ["days that end before the first are rejected", { since: "3d", until: "2026-01-10" }, /before 2026-01-14/],
  ["a day that does not exist is rejected", { since: "2026-02-30" }, /--since must be a day/],
  ["24h is rejected with the reason", { since: "24h" }, /--since takes days, not hours/],
  ["zero days are rejected", { since: "0d" }, /must be a day/],
  ["7d is not an end", { until: "7d" }, /--until must be a day/],
  ["an empty text is not a day", { since: "" }, /must be a day/],
])("%s", (_, options, message) => {
  const attempt = () => parsePeriod(options, nowMs);
  expect(attempt).toThrow(UsageError);
  expect(attempt).toThrow(message);
});

test("a period has only days with data, and as many as requested", () => {
  const firstMs = Date.UTC(2026, 0, 16);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: firstMs, max: firstMs + 4e10 }), (count, at) => {
      const { startDate, endDate } = parsePeriod({ since: `${count}d` }, at);
      expect(Date.parse(endDate)).toBe(Math.floor(at / 864e5) * 864e5 - 864e5);
      const days = (Date.parse(endDate) - Date.parse(startDate)) / 864e5 + 1;
      expect(startDate === "2026-01-14" ? days <= count : days === count).toBe(true);
      expect(startDate >= "2026-01-14").toBe(true);
    }),
  );
});

describe("request arguments", () => {
  const world = sharedServiceHome({ users: 3, sessions: 30, reports: 3, changes: 3 });

  test("filters and ids reach the service", async () => {
    const { sessionId = "" } = world.sandbox.state.sessions[1] ?? {};
    await world.run(`sessions messages ${sessionId} --role user --computer-id computer_1`);
    expect(world.sandbox.seen[0]?.url.pathname).toBe(`/api/v0/sessions/${sessionId}/messages`);
    const { searchParams } = world.sandbox.seen[0]?.url ?? new URL("x:");
    expect(Object.fromEntries(searchParams)).toEqual({ role: "user", computerId: "computer_1" });
  });

  test("an object and its fields make one body, in which a separate field wins", async () => {
    const enabledToolIds = ["Read", "Edit"];
    const settings = '{"model":"a","tags":[{"name":"t"}]}';
    const args = ["sessions", "create", "--computer-id", "computer_1", "--cwd", "/x", "--session-settings", settings];
    const further = ["--model", "b", "--enabled-tool-ids", "Read", "--enabled-tool-ids", "Edit"];
    const { exitCode } = await world.run([...args, ...further, "--assistant-active-time-ms", "1.5"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(world.sandbox.seen[0]?.body ?? "")).toEqual({
      computerId: "computer_1",
      cwd: "/x",
      sessionSettings: { model: "b", tags: [{ name: "t" }], enabledToolIds, assistantActiveTimeMs: 1.5 },
    });
  });

  test("a wrong value is named by the option that was typed, and messages have seconds", async () => {
    const { stderr } = await world.run(["sessions", "create", "--computer-id", "computer_1", "--tags", '{"a":1}']);
    expect(stderr).toContain("--tags must be a list in brackets");
    const { stdout } = await world.run(`sessions messages ${world.sandbox.state.sessions[1]?.sessionId}`);
    expect(stdout).toMatch(/ \d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} {2}/);
  });

  test("JSON can come from a file, relative to the working directory", async () => {
    world.home.write(join(world.home.project, "s.json"), '\ufeff{"model":"m"}');
    await world.run("sessions create --computer-id computer_1 --session-settings @s.json");
    expect(JSON.parse(world.sandbox.seen[0]?.body ?? "").sessionSettings).toEqual({ model: "m" });
  });

  test("are checked before the key is looked up", async () => {
    const { exitCode, stderr } = await world.run("sessions messages ..", {}, { BECKON_API_KEY: "" });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("must be an id")]);
  });

  const count = "It must be a whole number, 1 or more";
  const together = "--start-date and --end-date must be used together";
  const settings = "sessions create --computer-id c --session-settings";
  test.each([
    ["users list --limit 0", count],
    ["users list --limit 1e2", count],
    ["analytics tokens --limit 0", count],
    ["analytics tokens --until today", "--until 2026-06-15 is today (UTC): data has a 24-hour lag"],
    ["analytics tokens --start-date 2026-06-15 --end-date 2026-06-15", "--start-date 2026-06-15 is today (UTC)"],
    ["analytics tokens --start-date 2026-06-01", together],
    ["analytics tokens --start-date 2026-06-01 --end-date 2026-06-02 --since 7d", together],
    ["analytics tokens --start-date 1.6.2026 --end-date 2026-06-02", "--start-date must be a calendar day"],
    ["analytics tokens --group-by user", "Allowed choices are model"],
    ["analytics productivity --group-by model", "unknown option '--group-by'"],
    ["sessions messages x --role system", "Allowed choices are user, assistant, tool"],
    ["sessions messages ..", "<session-id> must be an id"],
    ["sessions message x", "missing required argument 'message-id'"],
    ["sessions create", "required option '--computer-id <id>' not specified"],
    [`${settings} {canary`, "--session-settings is not valid JSON"],
    [`${settings} @canary-no`, "cannot be read (ENOENT)"],
    [`${settings} @.`, "takes at most 1 MiB, from a regular file or standard input"],
    [`${settings} [1] --model m`, "must be an object in braces"],
    [`${settings} {"mode":1}`, "--session-settings mode is not accepted"],
    ["computers update c", "Give one or more of --name, --host-id, --remote-user."],
    ["computers update c --host-id x", "--host-id must be a UUID"],
    [`computers update c --name ${"x".repeat(64)}`, "--name must be a text of 1 to 63 characters"],
    ["users list --json --csv", "cannot be used with option"],
    ["users list --limit 10 --all", "'--limit <n>' cannot be used with option '--all'"],
    ["users lst", "Did you mean list?"],
    ["user", "Did you mean users?"],
  ])("%s is wrong usage, and nothing is sent", async (line, says) => {
    const { exitCode, stdout, stderr } = await world.run(line);
    expect([exitCode, stdout, stderr]).toEqual([2, "", expect.stringContaining(says)]);
    expect(stderr).not.toMatch(/\{canary|`\w+`/);
    expect(world.sandbox.seen).toEqual([]);
  });
});

describe("run api", () => {
  const world = sharedServiceHome({ users: 3, sessions: 3, reports: 3, changes: 3 });

  test("prints the reply to a custom request", async () => {
    const { exitCode, stdout, stderr } = await world.run("api get /api/v0/organization/users --query limit=2");
    expect([exitCode, stderr, JSON.parse(stdout).users.length]).toEqual([0, "", 2]);
    await world.run(["api", "get", "/api/v0/organization/users?limit=3&role=user", "--query", "limit=2"]);
    expect(world.sandbox.seen.map(({ url }) => url.search)).toEqual(["?limit=2", "?limit=2&role=user"]);
  });

  test("sends a body, and reaches the web application", async () => {
    const changed = await world.run(["api", "PATCH", "/api/v0/computers/computer_1", "--body", '{"name":"x"}']);
    expect(JSON.parse(changed.stdout)).toMatchObject({ id: "computer_1", name: "x" });
    const reports = await world.run("api GET /api/organization/maturity-level-reports --app");
    expect(JSON.parse(reports.stdout).reports).toHaveLength(3);
  });

  test.each([
    ["api GET /api/v0/none", 1, /answered 404/],
    ["api GET /a/../b", 2, /<path> must begin with \//],
    ["api FETCH /a", 2, /<method> must be GET.*\n {2}See `beckon service api --help`/],
    ["api GET /a --query limit", 2, /--query must be name=value/],
  ])("%s exits with %s and gives the reason", async (line, exitCode, says) => {
    const result = await world.run(line);
    expect([result.exitCode, result.stdout]).toEqual([exitCode, ""]);
    expect(result.stderr).toMatch(says);
  });

  test.each([
    ["users list --verbose", {}],
    ["users list", { BECKON_LOG: "1" }],
  ])("%s with %j shows the network traffic without the key", async (line, env) => {
    const { stderr } = await world.run(line, {}, env);
    const address = `${world.sandbox.baseUrl}/api/v0/organization/users`;
    expect(stderr).toMatch(new RegExp(`^> GET ${address}\n< 200 in \\d+ ms\n`));
    expect(stderr).not.toContain(keys.owner);
  });
});
