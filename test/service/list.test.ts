import { inspect } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import type * as service from "../../src/service.ts";
import { type Page, type ServiceClient, ServiceError } from "../../src/service.ts";
import { all, catchFailure, lastDay, makeClient, openSandbox, useSandbox, yesterday } from "../world/service/client.ts";
import { serviceAnswering } from "../world/service/hostile-service.ts";

/** Lists over real connections: number of requests and end of a walk. */

const sizesAsked = (seen: readonly { readonly url: URL }[]) => seen.map(({ url }) => url.searchParams.get("limit"));

const sandbox = useSandbox();
beforeEach(() => {
  sandbox.seen.length = 0;
});

describe("a walk over 1,000 users", () => {
  test.each([{ limit: 100 }, {}])("makes exactly 10 requests with %j", async (given) => {
    const rows = await all(makeClient(sandbox).analytics.users({ ...lastDay, ...given }));
    expect(new Set(rows.map((row) => row.user_id)).size).toBe(1000);
    expect(rows).toHaveLength(1000);
    expect(sizesAsked(sandbox.seen)).toEqual(Array.from({ length: 10 }, () => "100"));
    const cursors = sandbox.seen.map(({ url }) => url.searchParams.get("cursor"));
    const lasts = Array.from({ length: 9 }, (_unused, index) => `user_000${index}99`);
    expect(cursors).toEqual([null, ...lasts]);
  });

  test("with a limit of 30 makes 34 requests, all with the same dates and limit", async () => {
    expect(await all(makeClient(sandbox).analytics.users({ ...lastDay, limit: 30 }))).toHaveLength(1000);
    expect(sandbox.seen).toHaveLength(34);
    const names = ["startDate", "endDate", "limit"];
    const said = sandbox.seen.map(({ url }) => names.map((name) => url.searchParams.get(name)).join());
    expect(new Set(said)).toEqual(new Set([`${lastDay.startDate},${lastDay.endDate},30`]));
  });

  /** Counts the requests so far, once a later request has arrived. */
  async function countSeen(): Promise<number> {
    await makeClient(sandbox).enterpriseControls.history().page();
    return sandbox.seen.length - 1;
  }

  test("makes no request before the first item is requested", async () => {
    const list = makeClient(sandbox).analytics.users(lastDay);
    list[Symbol.asyncIterator]();
    list.pages();
    expect(await countSeen()).toBe(0);
  });

  test("makes no request after the item at which it stops", async () => {
    const walked: [number, number][] = [];
    for (const leftAt of [1, 100, 101, 250]) {
      sandbox.seen.length = 0;
      let count = 0;
      for await (const _ of makeClient(sandbox).analytics.users(lastDay)) {
        count += 1;
        if (count === leftAt) break;
      }
      walked.push([leftAt, await countSeen()]);
    }
    expect(Object.fromEntries(walked)).toEqual({ 1: 1, 100: 1, 101: 2, 250: 3 });
  });

  test("makes no further request after an error in the loop", async () => {
    const walk = async (): Promise<void> => {
      for await (const _ of makeClient(sandbox).analytics.users(lastDay)) throw new RangeError("mine");
    };
    expect(await catchFailure(walk())).toBeInstanceOf(RangeError);
    expect(sandbox.seen).toHaveLength(1);
  });

  test("makes its requests again when repeated", async () => {
    const list = makeClient(sandbox).analytics.users(lastDay);
    expect(await all(list)).toEqual(await all(list));
    expect(sandbox.seen).toHaveLength(20);
  });

  test("returns the items in order for several concurrent calls of `next`", async () => {
    const list = makeClient(sandbox).analytics.users({ ...lastDay, limit: 2 });
    const steps = list[Symbol.asyncIterator]();
    const items = await Promise.all(Array.from({ length: 5 }, () => steps.next()));
    expect(items.map(({ value }) => value?.user_id)).toEqual([0, 1, 2, 3, 4].map((index) => `user_00000${index}`));
    expect(sandbox.seen).toHaveLength(3);
  });

  test("begins at the caller's cursor", async () => {
    const rows = await all(makeClient(sandbox).analytics.users({ ...lastDay, cursor: "user_000949" }));
    expect([rows.length, rows[0]?.user_id, sandbox.seen.length]).toEqual([50, "user_000950", 1]);
  });

  test("ends when the caller's signal aborts, also between pages", async () => {
    const controller = new AbortController();
    const walk = async (): Promise<void> => {
      for await (const page of makeClient(sandbox).analytics.users(lastDay, { signal: controller.signal }).pages()) {
        expect(page.items).toHaveLength(100);
        controller.abort();
      }
    };
    expect(await catchFailure(walk())).toMatchObject({ name: "AbortError" });
    expect(sandbox.seen).toHaveLength(1);
  });
});

describe("page()", () => {
  test("returns one page with the reply's fields and the next cursor", async () => {
    const list = makeClient(sandbox).analytics.users({ ...lastDay, limit: 40 });
    const first = await list.page();
    expect(first).toMatchObject({ meta: { org_id: "org_sandbox", has_more: true, next_cursor: "user_000039" } });
    expect([first.items.length, first.data.length, first.next]).toEqual([40, 40, "user_000039"]);
    const second = await list.page(first.next);
    expect(second.items[0]?.user_id).toBe("user_000040");
    expect(sandbox.seen).toHaveLength(2);
  });

  test("returns no cursor with the last page, and rejects an empty one", async () => {
    const error = await catchFailure(makeClient(sandbox).users.list().page(""));
    expect(error).toMatchObject({ name: "ArgumentError", parameter: "cursor" });
    expect(sandbox.seen).toEqual([]);
    const { analytics } = makeClient(sandbox);
    const last = await analytics.users({ ...lastDay, cursor: "user_000998" }).page();
    expect([last.items.length, last.next]).toEqual([1, undefined]);
  });
});

describe("a walk over the list", () => {
  test.each([
    ["changes", 1, 60, (client: service.ServiceClient) => client.enterpriseControls.history()],
    ["sessions", 3, 250, (client: service.ServiceClient) => client.sessions.list()],
    ["users", 10, 1000, (client: service.ServiceClient) => client.users.list()],
  ] as const)("of %s ends after %s requests and %s items", async (_, requests, items, list) => {
    expect(await all(list(makeClient(sandbox)) as AsyncIterable<unknown>)).toHaveLength(items);
    expect(sandbox.seen).toHaveLength(requests);
  });

  test("of messages ends after 3 requests and 300 items, all of them different", async () => {
    const session = sandbox.state.sessions[0]?.sessionId ?? "";
    const ids = (await all(makeClient(sandbox).sessions.messages(session))).map(({ id }) => id);
    expect([new Set(ids).size, sandbox.seen.length]).toEqual([300, 3]);
  });
});

describe("readiness reports", () => {
  test("are requested after the last one seen, until a page has nothing new", async () => {
    const reports = await all(makeClient(sandbox).readiness.reports({ limit: 50 }));
    expect(new Set(reports.map(({ reportId }) => reportId)).size).toBe(120);
    const after = sandbox.seen.map(({ url }) => url.searchParams.get("startAfter"));
    expect(after).toEqual([null, reports[49]?.reportId, reports[99]?.reportId, reports[119]?.reportId]);
  });

  test("without a limit leave the size of a page to the service", async () => {
    expect(await all(makeClient(sandbox).readiness.reports())).toHaveLength(120);
    expect(new Set(sizesAsked(sandbox.seen))).toEqual(new Set([null]));
  });

  const repoUrl = "https://git.example.com/a";
  const report = (reportId: string) => ({ reportId, createdAt: 1, repoUrl, apps: {}, report: {} });

  test.each([
    ["starts again at the requested item", { "": ["a", "b"], b: ["b", "c"], c: ["c"] }, ["a", "b", "c"], 3],
    ["is empty", { "": [] }, [], 1],
    ["has one report, and repeats it", { "": ["a"], a: ["a"] }, ["a"], 2],
    ["ends with an empty page", { "": ["a"], a: [] }, ["a"], 2],
  ] as const)("of a service that %s end with each report once", async (_, pages, expected, requests) => {
    const asked: string[] = [];
    const server = await serviceAnswering("/api/organization/maturity-level-reports", (url) => {
      const at = url.searchParams.get("startAfter") ?? "";
      asked.push(at);
      return { reports: ((pages as Readonly<Record<string, readonly string[]>>)[at] ?? []).map(report) };
    });
    expect((await all(makeClient(server).readiness.reports())).map(({ reportId }) => reportId)).toEqual(expected);
    expect(asked).toHaveLength(requests);
  });
});

/** Lists of days: a walk requests 30 at a time, so that neither a reply nor memory grows with the span. */

const span = { startDate: "2026-01-14", endDate: yesterday };
const spanDays = 152;
const readSpans = (seen: readonly { readonly url: URL }[]) =>
  seen.map(({ url }) => [url.searchParams.get("startDate"), url.searchParams.get("endDate")]);

describe("a walk over five months", () => {
  test.each([
    ["tokens", ({ analytics }: ServiceClient) => analytics.tokens(span)],
    ["tools", ({ analytics }: ServiceClient) => analytics.tools(span)],
    ["activity", ({ analytics }: ServiceClient) => analytics.activity(span)],
    ["productivity", ({ analytics }: ServiceClient) => analytics.productivity(span)],
  ])("of %s requests 30 days at a time, and has each day once", async (_, list) => {
    const sandbox = await openSandbox({ users: 5 });
    const days = (await list(makeClient(sandbox)).all()).map(({ date }) => date);
    expect([days.length, new Set(days).size]).toEqual([spanDays, spanDays]);
    expect([days[0], days.at(-1)]).toEqual([span.startDate, span.endDate]);
    expect(days).toEqual([...days].sort());
    expect(readSpans(sandbox.seen)).toEqual([
      ["2026-01-14", "2026-02-12"],
      ["2026-02-13", "2026-03-14"],
      ["2026-03-15", "2026-04-13"],
      ["2026-04-14", "2026-05-13"],
      ["2026-05-14", "2026-06-12"],
      ["2026-06-13", "2026-06-14"],
    ]);
  });

  test("takes a Date as its first day", async () => {
    const sandbox = await openSandbox({ users: 5 });
    const startDate = new Date("2026-05-01T23:00:00Z");
    expect(await makeClient(sandbox).analytics.activity({ startDate, endDate: yesterday }).all()).toHaveLength(45);
  });

  test("halves a part that is too large for a reply, down to a day, and then requests less", async () => {
    const sandbox = await openSandbox({ users: 40 });
    const whole = await makeClient(sandbox).analytics.tokens(span).all();
    const largest = Math.max(...whole.map((row) => JSON.stringify(row).length));
    sandbox.seen.length = 0;
    const narrow = makeClient(sandbox, { maxReplyBytes: 4 * largest });
    const rows = await narrow.analytics.tokens(span).all();
    expect(rows).toEqual(whole);
    const sizes = readSpans(sandbox.seen).map((span) => {
      const [from = 0, to = 0] = span.map((day) => Date.parse(day ?? ""));
      return (to - from) / 86_400_000 + 1;
    });
    expect(sizes.slice(0, 5)).toEqual([30, 15, 7, 3, 3]);
    expect(sizes.slice(4, -1).every((size) => size === 3)).toBe(true);
    const tiny = makeClient(sandbox, { maxReplyBytes: 100 }).analytics.tokens(span).all();
    expect(await catchFailure(tiny)).toMatchObject({ name: "ParseError", truncated: true });
  });
});

test("page() gets the whole span, or the rest from a given day", async () => {
  const sandbox = await openSandbox({ users: 5 });
  const list = makeClient(sandbox).analytics.activity(span);
  expect(await list.page()).toMatchObject({ next: undefined, data: { length: spanDays } });
  const pages: Page<object>[] = await all(list.pages());
  expect((await list.page(pages[0]?.next)).items).toHaveLength(spanDays - 30);
  for (const day of ["2026-01-13", "2026-06-15", "soon", ""]) {
    expect(await catchFailure(list.page(day))).toMatchObject({ name: "ArgumentError", parameter: "startDate" });
  }
});

test("too many users for a reply arrive in smaller pages", async () => {
  const sandbox = await openSandbox({ users: 120 });
  const list = makeClient(sandbox, { maxReplyBytes: 20_000 }).analytics.users(lastDay);
  expect(new Set((await list.all()).map((row) => row.user_id)).size).toBe(120);
  expect(sizesAsked(sandbox.seen).slice(0, 3)).toEqual(["100", "50", "25"]);
});

/** Lists whose service announces more without a cursor: incomplete data never passes as complete. */

describe("a list", () => {
  const user = (id: string) => ({ id });
  const circle: Readonly<Record<string, string>> = { "": "x", x: "y", y: "x" };
  /** Makes a list of users, one on each page, with this `pagination`. Records the requested pages. */
  const usersWith = async (pagination: (at: string) => object) => {
    const asked: string[] = [];
    const server = await serviceAnswering("/api/v0/organization/users", (url) => {
      const at = url.searchParams.get("cursor") ?? "";
      asked.push(at);
      return { users: [user(`u${asked.length}`)], pagination: pagination(at) };
    });
    return { list: makeClient(server).users.list(), asked };
  };

  test.each([
    ["that announces more and names no cursor", "missing cursor", 1, () => ({ hasMore: true })],
    ["whose cursor is null", "missing cursor", 1, () => ({ hasMore: true, nextCursor: null })],
    ["whose cursor is empty", "empty cursor", 1, () => ({ hasMore: true, nextCursor: "" })],
    ["whose cursor is always the same", "repeated cursor", 2, () => ({ hasMore: true, nextCursor: "x" })],
    ["whose cursors go in a circle", "repeated cursor", 3, (at: string) => ({ hasMore: true, nextCursor: circle[at] })],
  ] as const)(
    "%s fails in a walk, all() and take() beyond the received items",
    async (_, reason, pages, pagination) => {
      const rows = Array.from({ length: pages }, (_unused, index) => user(`u${index + 1}`));
      const incomplete = { name: "IncompleteError", reason, count: pages, pages };
      const { list, asked } = await usersWith(pagination);
      const seen: unknown[] = [];
      const walk = async (): Promise<void> => {
        for await (const item of list) seen.push(item);
      };
      const error = await catchFailure(walk());
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toMatchObject({ ...incomplete, rows, message: expect.stringContaining("there are more") });
      // Rows may name people, so logs do not show them.
      expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain("u1");
      expect([seen, asked.length]).toEqual([rows, pages]);
      expect(await catchFailure(list.all())).toMatchObject(incomplete);
      expect(await catchFailure(list.take(pages + 1))).toMatchObject({ name: "IncompleteError", reason, pages });
      expect(await list.take(pages)).toHaveLength(pages);
      const ends = (await all(list.pages())).map(({ incomplete: why, next }) => [why, next === undefined]);
      expect(ends).toEqual([...rows.slice(1).map(() => [undefined, false]), [reason, true]]);
    },
  );

  test("that names a cursor and announces no more is complete", async () => {
    const { list, asked } = await usersWith(() => ({ hasMore: false, nextCursor: "x" }));
    expect([(await list.all()).length, asked.length, (await list.page()).incomplete]).toEqual([1, 1, undefined]);
  });

  test("asked for its first items requests only the necessary pages, of the necessary size", async () => {
    const users = makeClient(sandbox).users;
    for (const count of [0, 30, 130]) expect(await users.list().take(count)).toHaveLength(count);
    expect(sizesAsked(sandbox.seen)).toEqual(["30", "100", "100"]);
    expect(await catchFailure(users.list().take(-1))).toMatchObject({ name: "ArgumentError", parameter: "count" });
  });
});
