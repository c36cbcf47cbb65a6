import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { jwt, keys } from "../../../../helpers/service/access.ts";
import { createTerminal, openServiceHome, type ServiceHome } from "../service-home.ts";

let world: ServiceHome;
beforeAll(async () => {
  world = await openServiceHome({ users: 250, sessions: 30, reports: 45, changes: 30 });
});
afterAll(() => world.close());
beforeEach(() => {
  world.sandbox.seen.length = 0;
});
const queries = () => world.sandbox.seen.map(({ url }) => Object.fromEntries(url.searchParams));
const jsonOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("a list", () => {
  test("is one page, and says on standard error how to get the rest", async () => {
    const { stdout, stderr } = await world.run("analytics users --since 1d --json");
    const rows = jsonOf(stdout);
    expect(rows).toHaveLength(20);
    expect(stderr).toBe(`There is more: --all shows everything, --cursor ${rows.at(-1).user_id} the next page.\n`);
  });

  test("goes on where a cursor says", async () => {
    const { stdout } = await world.run("analytics users --since 1d --limit 3 --cursor user_000019 --json");
    expect(jsonOf(stdout).map((row) => row.user_id)).toEqual(["user_000020", "user_000021", "user_000022"]);
  });

  test("is asked for in pages of a hundred with --all, and nothing is left to say", async () => {
    const { stdout, stderr } = await world.run("users list --all --json");
    expect(new Set(jsonOf(stdout).map(({ id }) => id)).size).toBe(250);
    expect(queries().map(({ limit }) => limit)).toEqual(["100", "100", "100"]);
    expect(stderr).toBe("");
  });

  test("has pages as small as asked for", async () => {
    const { stdout } = await world.run("enterprise-controls history --all --limit 10 --json");
    expect([jsonOf(stdout).length, queries().length]).toEqual([30, 3]);
  });

  test("of reports may have more, and ends with --all where nothing new comes", async () => {
    const { stdout, stderr } = await world.run("readiness reports --limit 20 --json");
    const last = jsonOf(stdout).at(-1).reportId;
    expect(stderr).toBe(`There may be more: --all shows everything, --start-after ${last} the next page.\n`);
    expect(jsonOf((await world.run("readiness reports --all --limit 20 --json")).stdout)).toHaveLength(45);
  });

  test("that comes whole is cut here by --limit, and not by --all", async () => {
    const { stdout, stderr } = await world.run("analytics activity --since 5d --limit 2 --json");
    expect(jsonOf(stdout)).toHaveLength(2);
    expect(stderr).toBe("There is more: --all shows everything.\n");
    expect(jsonOf((await world.run("analytics activity --since 5d --limit 2 --all --json")).stdout)).toHaveLength(5);
    expect(queries()[0]).toEqual({ startDate: "2026-06-10", endDate: "2026-06-14" });
  });

  test("without anything in it says so to people, has a header as CSV, and is nothing as JSON", async () => {
    const line = "readiness reports --repo-id repo-99";
    expect((await world.run(line)).stdout).toBe("Nothing there.\n");
    expect((await world.run(`${line} --csv`)).stdout).toMatch(/^reportId,createdAt,[\w.,]+\r\n$/);
    expect((await world.run(`${line} --json`)).stdout).toBe("");
  });

  test("names what there was no room for", async () => {
    const { stdout, stderr } = await world.run("users list --limit 2", { terminal: createTerminal(60) });
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(stderr).toMatch(/^No room for last sign-in, created; --csv and --json have everything\.\n/);
  });

  test("of changes tells which settings are others, of a key too, and never the key", async () => {
    const { stdout } = await world.run("enterprise-controls history --limit 30");
    expect(stdout.split("\n").find((line) => line.trim().startsWith("21 "))).toMatch(
      /cloudSessionSync, sessionRetentionDays, customModels$/,
    );
    // What is before the page's last one is on no page.
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/ \?$/);
    for (const how of ["", " --json", " --csv"]) {
      const output = await world.run(`enterprise-controls history --all${how}`);
      expect(`${output.stdout}${output.stderr}`).not.toContain("canary");
      if (how !== "") expect(output.stdout).toContain("[secret]");
    }
  });
});

describe("arguments", () => {
  test("filters and ids reach the service", async () => {
    const { sessionId = "" } = world.sandbox.state.sessions[1] ?? {};
    await world.run(`sessions messages ${sessionId} --role user --computer-id computer_1`);
    expect(world.sandbox.seen[0]?.url.pathname).toBe(`/api/v0/sessions/${sessionId}/messages`);
    expect(queries()).toEqual([{ role: "user", computerId: "computer_1" }]);
  });

  test("the parts of an object and the object make one body; a part given alone wins", async () => {
    const settings = '{"model":"a","tags":[{"name":"t"}]}';
    const args = ["sessions", "create", "--computer-id", "computer_1", "--cwd", "/x", "--session-settings", settings];
    const further = ["--model", "b", "--enabled-tool-ids", "Read", "--enabled-tool-ids", "Edit"];
    const { exitCode } = await world.run([...args, ...further, "--assistant-active-time-ms", "1.5"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(world.sandbox.seen[0]?.body ?? "")).toEqual({
      computerId: "computer_1",
      cwd: "/x",
      sessionSettings: {
        model: "b",
        tags: [{ name: "t" }],
        enabledToolIds: ["Read", "Edit"],
        assistantActiveTimeMs: 1.5,
      },
    });
  });

  test("JSON may be in a file, its path beginning at the working directory", async () => {
    world.home.write(join(world.home.project, "s.json"), '\ufeff{"model":"m"}');
    await world.run("sessions create --computer-id computer_1 --session-settings @s.json");
    expect(JSON.parse(world.sandbox.seen[0]?.body ?? "").sessionSettings).toEqual({ model: "m" });
  });

  test("are checked before the key is looked for", async () => {
    const { exitCode, stderr } = await world.run("users list --limit 0", {}, { BECKON_API_KEY: "" });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("--limit must be")]);
  });

  test.each([
    { line: "users list --limit 0", says: "--limit must be a whole number from 1 to 100" },
    { line: "users list --limit 101", says: "--limit must be a whole number from 1 to 100" },
    { line: "users list --limit 1e2", says: "It must be a number" },
    { line: "analytics tokens --limit 0", says: "It must be a whole number from 1 on" },
    { line: "analytics tokens --until today", says: "--until 2026-06-15 is today (UTC): data has a 24-hour lag" },
    {
      line: "analytics tokens --start-date 2026-06-15 --end-date 2026-06-15",
      says: "--start-date 2026-06-15 is today (UTC)",
    },
    { line: "analytics tokens --start-date 2026-06-01", says: "--start-date and --end-date go together" },
    {
      line: "analytics tokens --start-date 2026-06-01 --end-date 2026-06-02 --since 7d",
      says: "--start-date and --end-date go together",
    },
    {
      line: "analytics tokens --start-date 1.6.2026 --end-date 2026-06-02",
      says: "--start-date must be a calendar day",
    },
    { line: "analytics tokens --group-by user", says: "Allowed choices are model" },
    { line: "analytics productivity --group-by model", says: "unknown option '--group-by'" },
    { line: "sessions messages x --role system", says: "Allowed choices are user, assistant, tool" },
    { line: "sessions messages ../x", says: "<session-id> must be an id" },
    { line: "sessions message x", says: "missing required argument 'message-id'" },
    { line: "sessions create", says: "required option '--computer-id <id>' not specified" },
    { line: "sessions create --computer-id c --session-settings {canary", says: "--session-settings is not JSON" },
    { line: "sessions create --computer-id c --session-settings @canary-no", says: "cannot be read (ENOENT)" },
    { line: "sessions create --computer-id c --session-settings @.", says: "no regular file of at most 1 MiB" },
    {
      line: "sessions create --computer-id c --session-settings [1] --model m",
      says: "expected object, received array",
    },
    {
      line: 'sessions create --computer-id c --session-settings {"mode":1}',
      says: "--session-settings mode is not taken",
    },
    { line: "computers update c", says: "One or more of --name, --host-id, --remote-user." },
    { line: "computers update c --host-id x", says: "--host-id must be a UUID" },
    { line: `computers update c --name ${"x".repeat(64)}`, says: "--name must be a text of 1 to 63 characters" },
    { line: "users list --json --csv", says: "cannot be used with option" },
    { line: "users lst", says: "Did you mean list?" },
    { line: "user", says: "Did you mean users?" },
  ])("$line is wrong usage, and nothing is sent", async ({ line, says }) => {
    const { exitCode, stdout, stderr } = await world.run(line);
    expect([exitCode, stdout, stderr]).toEqual([2, "", expect.stringContaining(says)]);
    expect(stderr).not.toMatch(/\{canary|`\w+`/);
    expect(world.sandbox.seen).toEqual([]);
  });
});

describe("a failure tells what, where and what to do", () => {
  test.each([
    {
      name: "a wrong key",
      env: { BECKON_API_KEY: "wrong-key-canary" },
      says: /^beckon: http:\/\/127\.0\.0\.1:\d+ answered 401 Unauthorized: Missing or invalid API key\. \(request req_\d+\)\n {2}.*make one at http.*\/settings\/api-keys/,
    },
    {
      name: "a member's key",
      env: { BECKON_API_KEY: keys.member },
      says: /answered 403 Forbidden: Manager or Owner role required\..*\n {2}It takes a key of one with the role Manager or Owner/,
    },
    {
      name: "a JWT where none is taken",
      env: { BECKON_API_KEY: "", BECKON_JWT: jwt },
      says: /401.*\n.*A JWT is taken by/,
    },
    {
      name: "nobody there",
      env: { BECKON_BASE_URL: "http://127.0.0.1:9" },
      says: /cannot be reached \(ECONNREFUSED\)\n {2}\S/,
    },
    { name: "no key", env: { BECKON_API_KEY: "" }, says: /there is no key for the service\n {2}Set BECKON_API_KEY/ },
  ])("$name", async ({ env, says }) => {
    const { exitCode, stdout, stderr } = await world.run("analytics tokens", {}, { BECKON_DEBUG: "1", ...env });
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(says);
    for (const key of [...Object.values(keys), jwt, "wrong-key-canary"]) expect(stderr).not.toContain(key);
  });

  test("an id that is not there, in a command that asks once", async () => {
    const { exitCode, stderr } = await world.run("computers install-deps nobody");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/answered 404 Not Found: .*\(request req_\d+\)\n {2}Check the ids/);
    expect(world.sandbox.seen).toHaveLength(1);
  });

  test("the web application's address, where only readiness reports lack it", async () => {
    const { exitCode, stderr } = await world.run("readiness reports", {}, { BECKON_APP_URL: "" });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/web application is not known\n {2}Set BECKON_APP_URL, or `service.appUrl` in \//);
    expect((await world.run("users list", {}, { BECKON_APP_URL: "" })).exitCode).toBe(0);
  });
});

describe("a long list", () => {
  test("tells on the terminal of standard error how far it is, and takes that away again", async () => {
    const errorTerminal = createTerminal(80);
    const { stdout } = await world.run("users list --all --csv", { errorTerminal });
    expect(errorTerminal.written.split("\r\u001b[2K").filter(Boolean)).toEqual([
      "100 so far, asking for more …",
      "200 so far, asking for more …",
    ]);
    expect(errorTerminal.written.endsWith("\r\u001b[2K")).toBe(true);
    expect(stdout).not.toContain("so far");
  });

  test.each(["users list --all --json", "readiness reports --all --limit 20"])(
    "%s prints nothing beside its progress, and leaves none of it",
    async (line) => {
      const errorTerminal = createTerminal(80);
      const before: string[] = [];
      const print = (): void => void before.push(errorTerminal.written);
      await world.run(line, { errorTerminal, print });
      expect(before.filter((written) => !/^$|\r\u001b\[2K$/.test(written))).toEqual([]);
      expect(errorTerminal.written).toMatch(/so far[\s\S]*\r\u001b\[2K$/);
    },
  );

  test("leaves no progress behind where the service repeats its cursor", async () => {
    const reply = { users: [{ id: "user_1" }], pagination: { hasMore: true, nextCursor: "again" } };
    const server = createServer((_, response) => void response.end(JSON.stringify(reply)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const BECKON_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const errorTerminal = createTerminal(80);
    const { exitCode, stdout } = await world.run("users list --all --json", { errorTerminal }, { BECKON_BASE_URL });
    expect([exitCode, jsonOf(stdout).length]).toEqual([0, 2]);
    expect(errorTerminal.written).toMatch(/so far[\s\S]*\r\u001b\[2K$/);
  });

  test.each([
    { name: "one page", line: "users list", env: {} },
    { name: "a terminal that cannot go back", line: "users list --all", env: { TERM: "dumb" } },
  ])("writes no such line for $name", async ({ line, env }) => {
    const errorTerminal = createTerminal(80);
    await world.run(line, { errorTerminal }, env);
    expect(errorTerminal.written).toBe("");
  });

  test("ends at Ctrl-C with 130 after a whole line, its progress taken away", async () => {
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
    expect(jsonOf(stdout)).toHaveLength(200);
    expect(world.sandbox.seen).toHaveLength(2);
    expect(errorTerminal.written.endsWith("\r\u001b[2K")).toBe(true);
  });
});

test("a cursor and names of fields are no commands to the terminal", async () => {
  const nasty = "\u001b]0;mine\u0007\u202e";
  const server = createServer((request, response) => {
    const isFirst = !request.url?.includes("cursor");
    const users = [{ id: isFirst ? "user_1" : "user_2", ...(!isFirst && { [`${nasty}late`]: 1 }) }];
    response.end(JSON.stringify({ users, pagination: { hasMore: isFirst, nextCursor: `${nasty}next` } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const BECKON_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const one = await world.run("users list", {}, { BECKON_BASE_URL });
  expect(one.stderr).toBe("There is more: --all shows everything.\n");
  const all = await world.run("users list --all --csv", {}, { BECKON_BASE_URL });
  expect(all.stderr).toBe("Fields that came up after the header, left out: late; --json has them.\n");
});

test("what has changed something and was interrupted may have been carried out, and says so", async () => {
  const interruption = () => AbortSignal.abort();
  const { exitCode, stderr } = await world.run("computers install-deps computer_1", { interruption });
  expect([exitCode, stderr]).toEqual([130, "Stopped. It may have been carried out: look before you repeat it.\n"]);
});
