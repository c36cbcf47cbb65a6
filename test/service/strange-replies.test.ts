import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { type RowPlace, ServiceError } from "../../src/service.ts";
import { quietUser } from "../report/rows.ts";
import { all, catchFailure } from "../world/service/client.ts";
import { expectNoSecret } from "../world/service/hostile-service.ts";
import { changes, key, productivity, reports, startStrangeService, users, usersPage } from "./strange-service.ts";

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
  const meta = { org_id: "o", start_date: "2026-06-08", end_date: "2026-06-14", has_more: false, next_cursor: null };
  const days = (...own: readonly object[]) => ({ body: { data: own, meta } });
  const tool = (date: string, group_key: string) => ({ date, group_key, tool_calls: 1 });
  const repeated = "1 row is a repetition of an earlier row:";
  const used = ["Read", "Edit", "Read"].map((name) => tool("2026-06-14", name));
  const twice = ["2026-06-13", "2026-06-14", "2026-06-14"].map((date) => ({ ...quietUser, date }));
  const doubled = { reports: [...reports(0, 8), ...reports(0, 7)] };
  test.each([
    ["users list --all", usersPage([...users(0, 3), ...users(2, 1)]), `${repeated} u2`],
    [`analytics tools --group-by tool_name --since 7d`, days(...used), `${repeated} 2026-06-14 Read`],
    ["analytics users --since 7d", days(...twice), `${repeated} 2026-06-14 u1`],
    ["readiness reports", { body: doubled }, "7 rows are a repetition"],
  ])("is printed by %s, and named", async (line, answer, says) => {
    for (const form of ["--json", "--csv", ""]) {
      const service = await startStrangeService(() => answer);
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

test.each([
  ["a service that ignores startAfter", { limit: undefined }, () => reports(0, 20)],
  ["a service that ignores startAfter and reduces the limit", { limit: 50 }, () => reports(0, 20)],
  ["a service that goes in a circle", { limit: undefined }, (at: string) => reports(at === "r19" ? 10 : 0, 20)],
  ["a service that repeats its only report for a limit of 1", { limit: 1 }, () => reports(0, 1)],
])("readiness reports of %s are incomplete", async (_, query, answer) => {
  const page = (url: URL) => answer(url.searchParams.get("startAfter") ?? "");
  const service = await startStrangeService(({ url }) => ({ body: { reports: page(url) } }));
  const list = service.client().readiness.reports(query);
  const error = await catchFailure(list.all());
  const message = expect.stringContaining("there may be more");
  expect(error).toMatchObject({ name: "IncompleteError", reason: "repeated page", message });
  const pages = await all(list.pages());
  expect(pages.at(-1)).toMatchObject({ items: [], next: undefined, incomplete: "repeated page" });
  if (query.limit === 1) return; // not possible on the command line together with --all
  const { exitCode, stderr } = await service.run("readiness reports --all");
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("sends an earlier page instead of the next one")]);
});

describe("users", () => {
  test("end after 100 empty pages in a row", async () => {
    const service = await startStrangeService((_, count) =>
      usersPage(count === 50 ? users(0, 1) : [], `cursor${count}`),
    );
    const error = await catchFailure(service.client().users.list().all());
    expect(error).toMatchObject({ name: "IncompleteError", reason: "empty pages", rows: users(0, 1), pages: 150 });
    expect(service.requests).toHaveLength(150);
  });

  test("go on after 99 empty pages", async () => {
    const service = await startStrangeService((_, count) =>
      count < 100 ? usersPage([], `cursor${count}`) : usersPage(users(0, 1)),
    );
    expect(await service.client().users.list().all()).toEqual(users(0, 1));
  });

  test.each([
    ["the same page", () => users(0, 20)],
    ["two pages in turn", (count: number) => users(count % 2 ? 0 : 20, 20)],
    ["one user", () => users(0, 1)],
  ])("that are always %s under new cursors are incomplete", async (_, answer) => {
    const service = await startStrangeService((_request, count) => usersPage(answer(count), `cursor${count}`));
    const error = await catchFailure(service.client().users.list().all());
    expect(error).toMatchObject({ name: "IncompleteError", reason: "repeated page" });
  });
});

test("days without data have no limit", async () => {
  const service = await startStrangeService(({ url }) => ({ body: { ...productivity(url), data: [] } }));
  const days = { startDate: "2026-01-14", endDate: "2026-06-14" };
  expect(await service.client().analytics.productivity(days).all()).toEqual([]);
});

test.each<readonly [number, string]>([
  ...[400, 402, 409, 413, 422].map((status) => [status, "See `beckon service users list --help`."] as const),
  [408, "Try again later."],
  [429, "Try again in some minutes; the service does not say when."],
  [503, "Try again later; give `requestId` to the service's support."],
])("the command line's cure for %d fits", async (status, cure) => {
  const service = await startStrangeService(() => ({ status, body: { message: "validation failed" } }));
  const { exitCode, stderr } = await service.run("users list");
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(cure)]);
  expect(/again later/.test(stderr)).toBe(/again later/.test(cure));
});

test.each([
  ["api GET /api/v0/teams", "Check the path and the address."],
  ["users list", "Check the path and the address."],
  ["sessions messages s1", "Check the ids."],
  ["sessions list --computer-id c1", "Check the ids."],
  ["sessions create --computer-id c1", "Check the ids."],
])("a 404 of `%s` names what may be wrong", async (line, cure) => {
  const service = await startStrangeService(() => ({ status: 404, body: { detail: "not found" } }));
  expect((await service.run(line)).stderr).toContain(cure);
});

test("an error has the reply's headers, without key and cookies", async () => {
  const headers = { "x-plan": "free", "x-echo": `Bearer ${key}`, "set-cookie": "session=1" };
  const service = await startStrangeService((_, count) =>
    count === 1 ? { status: 403, headers, body: {} } : { headers, body: { users: 7 } },
  );
  for (const name of ["PermissionError", "ParseError"]) {
    const error = await catchFailure(service.client().users.list().page());
    expect(error).toMatchObject({ name, headers: { "x-plan": "free", "content-type": "application/json" } });
    expect(error).not.toHaveProperty("headers.set-cookie");
    expectNoSecret(error, key);
  }
});

test("an expired JWT does not get the advice to create a key", async () => {
  const service = await startStrangeService(() => ({ status: 401, body: { detail: "expired" } }));
  const error = await catchFailure(service.client({ jwt: "a.b.c" }).users.list().page());
  const hint = expect.stringContaining("JWT is invalid or has expired");
  expect(error).toMatchObject({ name: "AuthenticationError", hint });
  const { stderr } = await service.run("users list", { BECKON_JWT: "a.b.c" });
  expect(stderr).toContain("get a new one");
  expect(stderr).not.toContain("api-keys");
});

const session = { sessionId: "s", status: "idle", messageCount: 0, createdAt: 1, updatedAt: 1 };

test("extraBody adds fields at every depth", async () => {
  const service = await startStrangeService(() => ({ status: 201, body: session }));
  const settings = { computerId: "c1", sessionSettings: { model: "m" } };
  const extraBody = { brandNew: true, sessionSettings: { brandNew: 7 } };
  await service.client().sessions.create(settings, { extraBody, extraQuery: { dryRun: true } });
  const [request] = service.requests;
  const sessionSettings = { model: "m", brandNew: 7 };
  expect(JSON.parse(request?.body ?? "")).toEqual({ computerId: "c1", brandNew: true, sessionSettings });
  expect(request?.url.search).toBe("?dryRun=true");
});

test("extraQuery is sent with every page of a list", async () => {
  const service = await startStrangeService((_, count) =>
    usersPage(users(count, 1), count < 3 ? `c${count}` : undefined),
  );
  const list = service.client().users.list({}, { extraQuery: { team: "a&b" } });
  await list.all();
  const cursors = ["", "&cursor=c1", "&cursor=c2"];
  expect(service.requests.map(({ url }) => url.search)).toEqual(cursors.map((at) => `?limit=100${at}&team=a%26b`));
});

test.each([
  ["a parameter of the call", { extraQuery: { cursor: "x" } }, "extraQuery"],
  ["a body without a body", { extraBody: { name: "x" } }, "extraBody"],
  ["a text", { extraQuery: "x" as never }, "extraQuery"],
])("%s is refused before anything is sent", async (_, options, parameter) => {
  const service = await startStrangeService(() => usersPage([]));
  const error = await catchFailure(service.client().users.list({}, options).page());
  expect(error).toMatchObject({ name: "ArgumentError", parameter });
  expect(service.requests).toEqual([]);
});

/** Starts a service that accepts only this key, which changes when a test says so. */
const startWithKey = async (accepted: { key: string }) =>
  startStrangeService(({ headers, url }) => {
    if (headers.authorization !== `Bearer ${accepted.key}`) return { status: 401, body: { detail: "expired" } };
    const at = Number(url.searchParams.get("cursor") ?? 0);
    return usersPage(users(at, 1), at < 5 ? String(at + 1) : undefined);
  });

test.each(["apiKey", "jwt"] as const)("a function as %s is asked once more after a 401", async (name) => {
  const accepted = { key: "first-key" };
  const service = await startWithKey(accepted);
  const asked: string[] = [];
  const get = async (): Promise<string> => {
    asked.push(accepted.key);
    return accepted.key;
  };
  const credentials = name === "jwt" ? { jwt: get } : { apiKey: get };
  const rows: unknown[] = [];
  for await (const user of service.client(credentials).users.list()) {
    rows.push(user);
    if (rows.length === 3) accepted.key = "second-key";
  }
  expect([rows.length, asked]).toEqual([6, ["first-key", "second-key"]]);
  expect(service.requests).toHaveLength(7);
});

test("a POST is repeated after a 401 as well", async () => {
  const service = await startStrangeService((_, count) =>
    count === 1 ? { status: 401, body: {} } : { status: 201, body: session },
  );
  const client = service.client({ apiKey: () => "some-key" });
  expect(await client.sessions.create({ computerId: "c1" })).toEqual(session);
});

test("calls at the same time share a renewed key", async () => {
  const accepted = { key: "first-key" };
  const service = await startWithKey(accepted);
  let asked = 0;
  const apiKey = (): string => {
    asked += 1;
    return accepted.key;
  };
  const client = service.client({ apiKey });
  await client.users.list().page();
  accepted.key = "second-key";
  await Promise.all(["0", "1", "2"].map((cursor) => client.users.list().page(cursor)));
  expect(asked).toBe(2);
});

test("a second 401 is the error, without any key", async () => {
  const refuse = (detail: string) => ({ status: 401, body: { detail } });
  const service = await startStrangeService(({ headers }) => refuse(`no ${headers.authorization}`));
  let count = 0;
  const client = service.client({ apiKey: () => `secret-key-${++count}` });
  const error = await catchFailure(client.users.list().page());
  expect(error).toMatchObject({ name: "AuthenticationError", status: 401 });
  expect(service.requests).toHaveLength(2);
  expectNoSecret(error, "secret-key-1", "secret-key-2");
});

test("a fixed key is not sent again after a 401", async () => {
  const service = await startStrangeService(() => ({ status: 401, body: {} }));
  await catchFailure(service.client().users.list().page());
  expect(service.requests).toHaveLength(1);
});

test.each([
  ["fails", () => Promise.reject(new Error("no token")), { name: "AuthenticationError", reason: "auth" }],
  ["gives no text", () => undefined as unknown as string, { name: "ArgumentError", parameter: "apiKey" }],
  ["gives a text with spaces", () => "a b", { name: "ArgumentError", parameter: "apiKey" }],
  ["never ends", () => new Promise<string>(() => {}), { name: "TimeoutError", reason: "timeout" }],
])("a function that %s fails the call before it is sent", async (_, apiKey, expected) => {
  const service = await startStrangeService(() => usersPage([]));
  const client = service.client({ apiKey, timeoutMs: 500 });
  expect(await catchFailure(client.users.list().page())).toMatchObject(expected);
  expect(service.requests).toEqual([]);
});

const page = Buffer.from(JSON.stringify(usersPage(users(0, 100)).body));
const odd = Buffer.from([0x1f, 0x9d, 0x90, 0xff, 0xfe]);
const transports = [
  ["Node's client", {}],
  ["fetch", { fetch }],
] as const;

const start = (coding: string, body: Buffer, status = 200) =>
  startStrangeService(() => ({ status, headers: { "content-encoding": coding }, body }));

describe.each(transports)("with %s", (_, options) => {
  test.each([
    ["gzip", gzipSync(page)],
    ["x-gzip", gzipSync(page)],
    ["GZIP", gzipSync(page)],
    ["br", brotliCompressSync(page)],
    ["deflate", deflateSync(page)],
    ["deflate, gzip", gzipSync(deflateSync(page))],
    ["deflate", deflateRawSync(page)], // without its header
  ])("a reply in %s is decoded", async (coding, body) => {
    const service = await start(coding, body);
    expect(await service.client(options).users.list().all()).toEqual(users(0, 100));
    expect(service.requests[0]?.headers["accept-encoding"]).toBe("gzip, br, deflate");
  });

  test.each([
    ["gzip", gzipSync(Buffer.alloc(20_000_000, " "))],
    ["br", brotliCompressSync(Buffer.alloc(20_000_000, " "))],
  ])("a bomb in %s stops at maxReplyBytes", async (coding, body) => {
    const service = await start(coding, body);
    const client = service.client({ ...options, maxReplyBytes: 100_000 });
    const error = await catchFailure(client.users.list().page());
    expect(error).toMatchObject({ name: "ParseError", truncated: true });
    expect(error).toMatchObject({ message: expect.stringContaining("sent more than 100000 bytes") });
  });

  test("a page that exceeds maxReplyBytes only when decoded is requested in halves", async () => {
    const service = await startStrangeService(({ url }) => ({
      headers: { "content-encoding": "gzip" },
      body: gzipSync(JSON.stringify(usersPage(users(0, Number(url.searchParams.get("limit")))).body)),
    }));
    const client = service.client({ ...options, maxReplyBytes: page.length - 1 });
    expect(await client.users.list().all()).toHaveLength(50);
  });

  const tooMany = { status: 422, detail: "too many" };
  const brokenConnection = { name: "ConnectionError", reason: "unavailable" };
  const unknown = (coding: string) => {
    return { name: "ParseError", message: expect.stringContaining(`content coding ${coding},`) };
  };
  test.each<[string, string, Buffer, { readonly status?: number; readonly name?: string }]>([
    ["an explanation", "gzip", gzipSync(JSON.stringify({ detail: "too many" })), tooMany],
    ["an empty error", "gzip", Buffer.alloc(0), { status: 403 }],
    ["a reply that is not in its coding", "gzip", page, brokenConnection],
    ["a cut reply", "gzip", gzipSync(page).subarray(0, 200), {}],
    ["a reply in an unknown coding", "compress", odd, unknown("compress")],
    ["one in two", "snappy, gzip", odd, unknown("snappy, gzip")],
  ])("%s is an error", async (_, coding, body, expected) => {
    const service = await start(coding, body, expected.status);
    const error = await catchFailure(service.client(options).users.list().page());
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject(expected);
    if (body === odd) expect(error).not.toHaveProperty("excerpt");
  });
});

test("more than three codings are refused", async () => {
  const service = await start("gzip, gzip, gzip, gzip", gzipSync(gzipSync(gzipSync(gzipSync(page)))));
  expect(await catchFailure(service.client().users.list().page())).toMatchObject({ name: "ParseError" });
});
