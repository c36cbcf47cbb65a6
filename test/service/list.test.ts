import { describe, expect, test } from "vitest";
import type * as service from "../../src/service.ts";
import { all, clientOf, failureOf, lastDay, openSandbox } from "../world/service/client.ts";
import { serviceAnswering } from "../world/service/hostile-service.ts";

/** Lists over real connections: how many requests a walk makes, and where it ends. */

const sizesAsked = (seen: readonly { readonly url: URL }[]) => seen.map(({ url }) => url.searchParams.get("limit"));

describe("a walk over 1,000 users", () => {
  test.each([
    ["with a limit of 100", { limit: 100 }],
    ["without a limit", {}],
  ])("%s makes exactly 10 requests", async (_, given) => {
    const sandbox = await openSandbox();
    const rows = await all(clientOf(sandbox).analytics.users({ ...lastDay, ...given }));
    expect(new Set(rows.map((row) => row.user_id)).size).toBe(1000);
    expect(rows).toHaveLength(1000);
    expect(sizesAsked(sandbox.seen)).toEqual(Array.from({ length: 10 }, () => "100"));
    const cursors = sandbox.seen.map(({ url }) => url.searchParams.get("cursor"));
    expect(cursors).toEqual([
      null,
      ...Array.from({ length: 9 }, (_unused, n) => `user_${String(n).padStart(4, "0")}99`),
    ]);
  });

  test("with a limit of 30 makes 34 requests, all with the same dates and limit", async () => {
    const sandbox = await openSandbox();
    expect(await all(clientOf(sandbox).analytics.users({ ...lastDay, limit: 30 }))).toHaveLength(1000);
    expect(sandbox.seen).toHaveLength(34);
    const said = sandbox.seen.map(({ url }) =>
      ["startDate", "endDate", "limit"].map((name) => url.searchParams.get(name)),
    );
    expect(new Set(said.map((one) => one.join()))).toEqual(new Set([`${lastDay.startDate},${lastDay.endDate},30`]));
  });

  test("makes no request before the first item is wanted", async () => {
    const sandbox = await openSandbox();
    const list = clientOf(sandbox).analytics.users(lastDay);
    list[Symbol.asyncIterator]();
    list.pages();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sandbox.seen).toEqual([]);
  });

  test.each([
    [1, 1],
    [100, 1],
    [101, 2],
    [250, 3],
  ])("stopped at item %s has made %s requests", async (leftAt, requests) => {
    const sandbox = await openSandbox();
    let count = 0;
    for await (const _ of clientOf(sandbox).analytics.users(lastDay)) {
      count += 1;
      if (count === leftAt) break;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sandbox.seen).toHaveLength(requests);
  });

  test("makes no further request after an error in the loop", async () => {
    const sandbox = await openSandbox();
    const walk = async (): Promise<void> => {
      for await (const _ of clientOf(sandbox).analytics.users(lastDay)) throw new RangeError("mine");
    };
    expect(await failureOf(walk())).toBeInstanceOf(RangeError);
    expect(sandbox.seen).toHaveLength(1);
  });

  test("repeated makes its requests again", async () => {
    const sandbox = await openSandbox();
    const list = clientOf(sandbox).analytics.users(lastDay);
    expect(await all(list)).toEqual(await all(list));
    expect(sandbox.seen).toHaveLength(20);
  });

  test("by several concurrent calls of `next` returns the items in order", async () => {
    const sandbox = await openSandbox();
    const steps = clientOf(sandbox)
      .analytics.users({ ...lastDay, limit: 2 })
      [Symbol.asyncIterator]();
    const items = await Promise.all(Array.from({ length: 5 }, () => steps.next()));
    expect(items.map(({ value }) => value?.user_id)).toEqual([0, 1, 2, 3, 4].map((n) => `user_00000${n}`));
    expect(sandbox.seen).toHaveLength(3);
  });

  test("begins where the caller's cursor says", async () => {
    const sandbox = await openSandbox();
    const rows = await all(clientOf(sandbox).analytics.users({ ...lastDay, cursor: "user_000949" }));
    expect([rows.length, rows[0]?.user_id, sandbox.seen.length]).toEqual([50, "user_000950", 1]);
  });

  test("ends when the caller's signal aborts, also between pages", async () => {
    const sandbox = await openSandbox();
    const controller = new AbortController();
    const walk = async (): Promise<void> => {
      for await (const page of clientOf(sandbox).analytics.users(lastDay, { signal: controller.signal }).pages()) {
        expect(page.items).toHaveLength(100);
        controller.abort();
      }
    };
    expect(await failureOf(walk())).toMatchObject({ name: "AbortError" });
    expect(sandbox.seen).toHaveLength(1);
  });
});

describe("page()", () => {
  test("returns one page with the fields of the reply and the cursor of the next", async () => {
    const sandbox = await openSandbox();
    const list = clientOf(sandbox).analytics.users({ ...lastDay, limit: 40 });
    const first = await list.page();
    expect(first).toMatchObject({ meta: { org_id: "org_sandbox", has_more: true, next_cursor: "user_000039" } });
    expect([first.items.length, first.data.length, first.next]).toEqual([40, 40, "user_000039"]);
    const second = await list.page(first.next);
    expect(second.items[0]?.user_id).toBe("user_000040");
    expect(sandbox.seen).toHaveLength(2);
  });

  test("returns no cursor with the last page", async () => {
    const sandbox = await openSandbox();
    const last = await clientOf(sandbox)
      .analytics.users({ ...lastDay, cursor: "user_000998" })
      .page();
    expect([last.items.length, last.next]).toEqual([1, undefined]);
  });

  test("rejects an empty cursor", async () => {
    const sandbox = await openSandbox();
    const error = await failureOf(clientOf(sandbox).users.list().page(""));
    expect(error).toMatchObject({ name: "ArgumentError", parameter: "cursor" });
    expect(sandbox.seen).toEqual([]);
  });
});

describe("a walk over the list", () => {
  test.each([
    ["changes", 1, 60, (client: service.ServiceClient) => client.enterpriseControls.history()],
    ["sessions", 3, 250, (client: service.ServiceClient) => client.sessions.list()],
    ["users", 10, 1000, (client: service.ServiceClient) => client.users.list()],
  ] as const)("of %s ends after %s requests and %s items", async (_, requests, items, list) => {
    const sandbox = await openSandbox();
    expect(await all(list(clientOf(sandbox)) as AsyncIterable<unknown>)).toHaveLength(items);
    expect(sandbox.seen).toHaveLength(requests);
  });

  test("of messages ends after 3 requests and 300 items, all of them different", async () => {
    const sandbox = await openSandbox();
    const session = sandbox.state.sessions[0]?.sessionId ?? "";
    const ids = (await all(clientOf(sandbox).sessions.messages(session))).map(({ id }) => id);
    expect([new Set(ids).size, sandbox.seen.length]).toEqual([300, 3]);
  });
});

describe("readiness reports", () => {
  test("are requested after the last one seen, until a page has nothing new", async () => {
    const sandbox = await openSandbox();
    const reports = await all(clientOf(sandbox).readiness.reports({ limit: 50 }));
    expect(new Set(reports.map(({ reportId }) => reportId)).size).toBe(120);
    const after = sandbox.seen.map(({ url }) => url.searchParams.get("startAfter"));
    expect(after).toEqual([null, reports[49]?.reportId, reports[99]?.reportId, reports[119]?.reportId]);
  });

  test("without a limit leave the size of a page to the service", async () => {
    const sandbox = await openSandbox();
    expect(await all(clientOf(sandbox).readiness.reports())).toHaveLength(120);
    expect(new Set(sizesAsked(sandbox.seen))).toEqual(new Set([null]));
  });

  const report = (reportId: string) => ({
    reportId,
    createdAt: 1,
    repoUrl: "https://git.example.com/a",
    apps: {},
    report: {},
  });

  test.each([
    ["starts again at the item asked for", { "": ["a", "b"], b: ["b", "c"], c: ["c"] }, ["a", "b", "c"], 3],
    ["does not heed startAfter", { "": ["a", "b"], b: ["a", "b"] }, ["a", "b"], 2],
    ["is empty", { "": [] }, [], 1],
    ["goes in a circle", { "": ["a", "b"], b: ["c", "a"], a: ["b", "c"] }, ["a", "b", "c"], 3],
    ["ends with an empty page", { "": ["a"], a: [] }, ["a"], 2],
  ] as const)("of a service that %s end with each report once", async (_, pages, expected, requests) => {
    const asked: string[] = [];
    const server = await serviceAnswering("/api/organization/maturity-level-reports", (url) => {
      const at = url.searchParams.get("startAfter") ?? "";
      asked.push(at);
      return { reports: ((pages as Readonly<Record<string, readonly string[]>>)[at] ?? []).map(report) };
    });
    expect((await all(clientOf(server).readiness.reports())).map(({ reportId }) => reportId)).toEqual(expected);
    expect(asked).toHaveLength(requests);
  });
});
