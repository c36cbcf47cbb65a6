import { describe, expect, onTestFinished, test } from "vitest";
import type { RowPlace } from "../../src/service.ts";
import { changes, productivity, reports, startStrangeService, users, usersPage } from "./strange-service.ts";

const lines = (text: string): string[] => text.trimEnd().split("\n");

describe("a broken row", () => {
  test("does not hide the others on the command line", async () => {
    const rows = [...users(0, 120), { id: 7 }, ...users(121, 109)];
    const service = await startStrangeService(({ url }) =>
      url.searchParams.get("cursor") === null ? usersPage(rows.slice(0, 115), "c") : usersPage(rows.slice(115)),
    );
    for (const form of ["--json", "--csv", "--columns user"]) {
      const { exitCode, stdout, stderr } = await service.run(`users list --all ${form}`);
      expect([exitCode, lines(stdout).length]).toEqual([1, form === "--json" ? 229 : 230]);
      expect(stderr).toContain("1 row could not be read: ");
      expect(stderr).toContain("at users[5].id");
    }
  });

  test("does not hide the other days", async () => {
    const service = await startStrangeService(({ url }) => {
      const { data, meta } = productivity(url);
      return { body: { data: data.map((row, index) => (index === 2 ? { ...row, git_commits: null } : row)), meta } };
    });
    const { exitCode, stdout, stderr } = await service.run("analytics productivity --since 7d --json");
    expect([exitCode, lines(stdout).length]).toEqual([1, 6]);
    expect(stderr).toContain("1 row could not be read: ");
    expect(stderr).not.toContain("missing");
  });

  test("is counted with all others if none can be read", async () => {
    const service = await startStrangeService(() => usersPage([{ id: 1 }, { id: 2 }]));
    const { exitCode, stderr } = await service.run("users list --json");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("2 rows could not be read: first, ")]);
  });

  test("comes with its place", async () => {
    const service = await startStrangeService((_, count) =>
      count === 1 ? usersPage([...users(0, 1), {}], "c") : usersPage([{}, ...users(1, 1)]),
    );
    const places: RowPlace[] = [];
    const onInvalidRow = (_error: unknown, place: RowPlace): void => void places.push(place);
    expect(await service.client().users.list({}, { onInvalidRow }).all()).toHaveLength(2);
    expect(places).toEqual([
      { cursor: undefined, index: 1, row: {} },
      { cursor: "c", index: 0, row: {} },
    ]);
  });
});

describe("a row that comes twice", () => {
  const meta = { org_id: "o", start_date: "2026-06-08", end_date: "2026-06-14" };
  const days = (...own: readonly object[]) => ({ body: { data: own, meta } });
  const tool = (date: string, group_key: string) => ({ date, group_key, tool_calls: 1 });
  test.each([
    [
      "users list --all",
      () => usersPage([...users(0, 3), ...users(2, 1)]),
      "1 row is a repetition of an earlier row: u2",
    ],
    [
      "analytics tools --group-by tool_name --since 7d",
      () => days(tool("2026-06-14", "Read"), tool("2026-06-14", "Edit"), tool("2026-06-14", "Read")),
      "1 row is a repetition of an earlier row: 2026-06-14 Read",
    ],
    [
      "readiness reports",
      () => ({ body: { reports: [...reports(0, 8), ...reports(0, 7)] } }),
      "7 rows are a repetition",
    ],
  ])("is printed by %s, and named", async (line, answer, says) => {
    for (const form of ["--json", "--csv", ""]) {
      const service = await startStrangeService(answer);
      const { exitCode, stderr } = await service.run(`${line} ${form}`.trim());
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(says)]);
    }
  });

  test("is not found among rows of one day with different groups, nor in other lists", async () => {
    const grouped = await startStrangeService(() => days(tool("2026-06-14", "Read"), tool("2026-06-13", "Read")));
    expect(await grouped.run("analytics tools --group-by tool_name --since 7d")).toMatchObject({ exitCode: 0 });
    const listed = await startStrangeService(() => usersPage(users(0, 20)));
    expect(await listed.run("users list --all")).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

test("credentials in a repository's address are never printed", async () => {
  const rows = reports(0, 1).map((row) => ({ ...row, repoUrl: "https://user:tok_SECRET@git.example.com/a.git" }));
  const service = await startStrangeService(() => ({ body: { reports: rows } }));
  for (const form of [" --json", " --csv", ""]) {
    const { stdout } = await service.run(`readiness reports${form}`);
    expect(stdout).toContain("git.example.com/a");
    expect(stdout).not.toMatch(/SECRET|user/);
  }
});

describe("a date", () => {
  const withZone = (zone: string): void => {
    const before = process.env["TZ"];
    process.env["TZ"] = zone;
    onTestFinished(() => {
      if (before === undefined) delete process.env["TZ"];
      else process.env["TZ"] = before;
    });
  };

  test.each([
    ["America/New_York", "EST|EDT", "2026-05-31 20:00"],
    ["UTC", "UTC", "2026-06-01 00:00"],
  ])("keeps its day in %s, and instants name the zone once", async (zone, name, instant) => {
    withZone(zone);
    const service = await startStrangeService(() => usersPage(users(0, 3)));
    const { stdout } = await service.run("users list");
    expect(stdout).toMatch(new RegExp(`^user .*created \\((?:${name})\\)`));
    expect(stdout.match(/2026-01-01/g)).toHaveLength(3);
    expect(stdout).not.toMatch(/2025-12-31|2026-01-01 00:00/);
    expect(stdout).toContain(instant);
  });

  test.each(["2026-01", "2026", "yesterday"])("%s is shown as it came", async (createdAt) => {
    withZone("America/New_York");
    const service = await startStrangeService(() => usersPage(users(0, 1).map((user) => ({ ...user, createdAt }))));
    expect((await service.run("users list --columns created")).stdout).toMatch(new RegExp(`\n${createdAt}\n$`));
  });
});

describe("the history of settings", () => {
  const answer = (url: URL) => {
    const { cursor, limit = 20 } = Object.fromEntries(url.searchParams);
    const [newest, size] = [Number(cursor ?? 45), Number(limit)];
    const items = changes(newest, Math.min(size, newest));
    const next = newest - items.length;
    return { body: { changes: items, pagination: { hasMore: next > 0, nextCursor: String(next) } } };
  };

  test.each([
    ["enterprise-controls history", 20, "25"],
    ["enterprise-controls history --limit 2", 2, "43"],
    ["enterprise-controls history --limit 30", 30, "15"],
    ["enterprise-controls history --cursor 30 --limit 3", 3, "27"],
  ])("`%s` names the change in every row", async (line, count, cursor) => {
    const service = await startStrangeService(({ url }) => answer(url));
    const { exitCode, stdout, stderr } = await service.run(line);
    expect(exitCode).toBe(0);
    expect(stdout.match(/sessionRetentionDays: \d+ → \d+/g)).toHaveLength(count);
    expect(stdout).not.toContain("?");
    expect(stderr).toContain(`--cursor ${cursor} `);
  });

  test("has a ? in its oldest row alone", async () => {
    const service = await startStrangeService(({ url }) => answer(url));
    const { stdout } = await service.run("enterprise-controls history --all");
    expect(stdout.match(/\?/g)).toHaveLength(1);
  });
});

describe("service api", () => {
  const reply = {
    rows: [{ group_key: "gpt", apiKey: "s-1", settings: { extraHeaders: { "x-auth": "s-2" }, api_keys: ["s-3"] } }],
    ...{ access_token: "s-4", sessionCookie: "s-5", tokens: 7, nextCursor: "c" },
  };

  test("masks what names say is secret", async () => {
    const service = await startStrangeService(() => ({ body: reply }));
    const { stdout, stderr } = await service.run("api GET /api/v0/organization/enterprise-controls/history");
    expect(stdout).not.toMatch(/s-\d/);
    expect(JSON.parse(stdout)).toMatchObject({ rows: [{ group_key: "gpt" }], tokens: 7, nextCursor: "c" });
    expect(stderr).toContain("--show-secrets");
  });

  test("shows everything with --show-secrets", async () => {
    const service = await startStrangeService(() => ({ body: reply }));
    const { stdout, stderr } = await service.run("api GET /api/v0/teams --show-secrets");
    expect([JSON.parse(stdout), stderr]).toEqual([reply, ""]);
  });
});

test("an empty text in a list of objects is left out", async () => {
  const steps = [{ id: "s1", name: "install", status: "done", error: "", installSessionId: "x" }];
  const body = { id: "c1", name: "builder", providerType: "byom", createdAt: 1, provisioningSteps: steps };
  const service = await startStrangeService(() => ({ status: 202, body }));
  const { stdout } = await service.run("computers install-deps c1");
  expect(stdout).toMatch(/id s1, name install, status done, installSessionId x/);
});
