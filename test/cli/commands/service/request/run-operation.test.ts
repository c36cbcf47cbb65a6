import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { jwt, keys } from "../../../../world/service/access.ts";
import { createTerminal, openServiceHome, type ServiceHome } from "../../../../world/service-home.ts";

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
  test("shows one page, and says on standard error how to get the rest", async () => {
    const { stdout, stderr } = await world.run("analytics users --since 1d --json");
    const rows = jsonOf(stdout);
    expect(rows).toHaveLength(20);
    expect(stderr).toBe(
      `There are more; use --all for everything, or --cursor ${rows.at(-1).user_id} for the next page.\n`,
    );
  });

  test("continues at a cursor", async () => {
    const { stdout } = await world.run("analytics users --since 1d --limit 3 --cursor user_000019 --json");
    expect(jsonOf(stdout).map((row) => row.user_id)).toEqual(["user_000020", "user_000021", "user_000022"]);
  });

  test("with --all is requested in pages of 100, without remarks", async () => {
    const { stdout, stderr } = await world.run("users list --all --json");
    expect(new Set(jsonOf(stdout).map(({ id }) => id)).size).toBe(250);
    expect(queries().map(({ limit }) => limit)).toEqual(["100", "100", "100"]);
    expect(stderr).toBe("");
  });

  test.each([
    ["users list --limit 250", 250, ["100", "100", "100"], ""],
    ["users list --limit 230", 230, ["100", "100", "100"], "There are more; use --all for everything.\n"],
    [
      "enterprise-controls history --limit 10",
      10,
      ["10"],
      expect.stringMatching(/^There are more; .* --cursor \S+ for/),
    ],
    ["readiness reports --limit 50", 45, ["50", "50"], ""],
  ])("%s shows so many rows, from as many pages as it takes", async (line, rows, limits, stderr) => {
    const result = await world.run(`${line} --json`);
    expect([jsonOf(result.stdout).length, result.stderr]).toEqual([rows, stderr]);
    expect(queries().map(({ limit }) => limit)).toEqual(limits);
  });

  test("takes --limit or --all, not both", async () => {
    const { exitCode, stderr } = await world.run("users list --limit 10 --all");
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/--limit.* cannot be used with .*--all/)]);
    expect(world.sandbox.seen).toEqual([]);
  });

  test("of reports may have more, and with --all ends at a page with nothing new", async () => {
    const { stdout, stderr } = await world.run("readiness reports --limit 20 --json");
    const last = jsonOf(stdout).at(-1).reportId;
    expect(stderr).toBe(`There may be more; use --all for everything, or --start-after ${last} for the next page.\n`);
    expect(jsonOf((await world.run("readiness reports --all --json")).stdout)).toHaveLength(45);
  });

  test("of days shows all of them, or as many as --limit says", async () => {
    const { stdout, stderr } = await world.run("analytics activity --since 5d --limit 2 --json");
    expect(jsonOf(stdout)).toHaveLength(2);
    expect(stderr).toBe("There are more; use --all for everything.\n");
    expect(queries()[0]).toEqual({ startDate: "2026-06-10", endDate: "2026-06-14" });
    const long = await world.run("analytics tokens --since 300d --json");
    expect([long.exitCode, jsonOf(long.stdout).length]).toEqual([0, 152]);
    expect(long.stderr).toBe("Data begins on 2026-01-14: --since 300d is cut to that day.\n");
    expect(queries()).toHaveLength(1 + 6);
  });

  test("without items says so as a table, has only a header as CSV, and is empty as JSON", async () => {
    const line = "readiness reports --repo-id repo-99";
    expect((await world.run(line)).stdout).toBe("Nothing found.\n");
    expect((await world.run(`${line} --csv`)).stdout).toMatch(/^reportId,createdAt,[\w.,]+\r\n$/);
    expect((await world.run(`${line} --json`)).stdout).toBe("");
  });

  test("names the columns that did not fit", async () => {
    const { stdout, stderr } = await world.run("users list --limit 2", { terminal: createTerminal(60) });
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(stderr).toMatch(/^No room for last sign-in, created; --csv and --json show everything\.\n/);
  });

  test("of changes names the changed settings, and never shows a key", async () => {
    const { stdout } = await world.run("enterprise-controls history --limit 30");
    expect(stdout.split("\n").find((line) => line.trim().startsWith("21 "))).toMatch(
      /cloudSessionSync, sessionRetentionDays, customModels$/,
    );
    // The revision before the last row is not on the page.
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/ \?$/);
    for (const how of ["", " --json", " --csv"]) {
      const output = await world.run(`enterprise-controls history --all${how}`);
      expect(`${output.stdout}${output.stderr}`).not.toContain("canary");
      if (how !== "") expect(output.stdout).toContain("[secret]");
    }
  });
});

describe("a failure says what failed, where, and what to do", () => {
  test.each([
    {
      name: "a wrong key",
      env: { BECKON_API_KEY: "wrong-key-canary" },
      says: /^beckon: http:\/\/127\.0\.0\.1:\d+ answered 401 Unauthorized: Missing or invalid API key\. \(request req_\d+\)\n {2}.*create one at http.*\/settings\/api-keys/,
    },
    {
      name: "a member's key",
      env: { BECKON_API_KEY: keys.member },
      says: /answered 403 Forbidden: Manager or Owner role required\..*\n {2}This needs the key of a Manager or Owner/,
    },
    {
      name: "a JWT where only keys are accepted",
      env: { BECKON_API_KEY: "", BECKON_JWT: jwt },
      says: /analytics tokens takes an API key, not a JWT\n {2}Set BECKON_API_KEY/,
    },
    {
      name: "an address without a server",
      env: { BECKON_BASE_URL: "http://127.0.0.1:9" },
      says: /cannot be reached \(ECONNREFUSED\)\n {2}\S/,
    },
    { name: "no key", env: { BECKON_API_KEY: "" }, says: /no key is set for the service\n {2}Set BECKON_API_KEY/ },
  ])("$name", async ({ env, says }) => {
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
    expect(stderr).toMatch(
      /no address is set for the service's web application\n {2}Set BECKON_APP_URL, or `service.appUrl` in \//,
    );
    expect((await world.run("users list", {}, { BECKON_APP_URL: "" })).exitCode).toBe(0);
  });
});

describe("a long list", () => {
  test("shows its progress on standard error, and removes it", async () => {
    const errorTerminal = createTerminal(80);
    const { stdout } = await world.run("users list --all --csv", { errorTerminal });
    expect(errorTerminal.written.split("\r\u001b[2K").filter(Boolean)).toEqual([
      "100 so far, fetching more …",
      "200 so far, fetching more …",
    ]);
    expect(errorTerminal.written.endsWith("\r\u001b[2K")).toBe(true);
    expect(stdout).not.toContain("so far");
  });

  test.each(["users list --all --json", "readiness reports --all"])(
    "%s removes its progress before it prints, and at the end",
    async (line) => {
      const errorTerminal = createTerminal(80);
      const before: string[] = [];
      const print = (): void => void before.push(errorTerminal.written);
      await world.run(line, { errorTerminal, print });
      expect(before.filter((written) => !/^$|\r\u001b\[2K$/.test(written))).toEqual([]);
      expect(errorTerminal.written).toMatch(/so far[\s\S]*\r\u001b\[2K$/);
    },
  );

  test("removes its progress if the service repeats a cursor", async () => {
    const reply = { users: [{ id: "user_1" }], pagination: { hasMore: true, nextCursor: "again" } };
    const server = createServer((_, response) => void response.end(JSON.stringify(reply)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const BECKON_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const errorTerminal = createTerminal(80);
    const { exitCode, stdout } = await world.run("users list --all --json", { errorTerminal }, { BECKON_BASE_URL });
    expect([exitCode, jsonOf(stdout).length]).toEqual([1, 2]);
    expect(errorTerminal.written).toMatch(/so far[\s\S]*\r\u001b\[2K$/);
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
    expect(jsonOf(stdout)).toHaveLength(200);
    expect(world.sandbox.seen).toHaveLength(2);
    expect(errorTerminal.written.endsWith("\r\u001b[2K")).toBe(true);
  });
});

test("a cursor and field names with control characters are not printed as they are", async () => {
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
  expect(one.stderr).toBe("There are more; use --all for everything.\n");
  const all = await world.run("users list --all --csv", {}, { BECKON_BASE_URL });
  expect(all.stderr).toBe("Left out, because they first appeared after the header: late; --json shows them.\n");
});

test("an interrupted change says that it may have taken effect", async () => {
  const interruption = () => AbortSignal.abort();
  const { exitCode, stderr } = await world.run("computers install-deps computer_1", { interruption });
  expect([exitCode, stderr]).toEqual([130, "Stopped. It may have taken effect: check before you repeat it.\n"]);
});
