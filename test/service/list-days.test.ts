import { describe, expect, test } from "vitest";
import type { Page, ServiceClient } from "../../src/service.ts";
import { all, clientOf, failureOf, openSandbox, yesterday } from "../world/service/client.ts";

/** Lists of days: a walk asks for 30 at a time, so that neither a reply nor memory grows with the span. */

const span = { startDate: "2026-01-14", endDate: yesterday };
const spanDays = 152;
const spansOf = (seen: readonly { readonly url: URL }[]) =>
  seen.map(({ url }) => [url.searchParams.get("startDate"), url.searchParams.get("endDate")]);

describe("a walk over five months", () => {
  test.each([
    ["tokens", ({ analytics }: ServiceClient) => analytics.tokens(span)],
    ["tools", ({ analytics }: ServiceClient) => analytics.tools(span)],
    ["activity", ({ analytics }: ServiceClient) => analytics.activity(span)],
    ["productivity", ({ analytics }: ServiceClient) => analytics.productivity(span)],
  ])("of %s asks for 30 days at a time, and has each day once", async (_, list) => {
    const sandbox = await openSandbox({ users: 5 });
    const days = (await list(clientOf(sandbox)).all()).map(({ date }) => date);
    expect([days.length, new Set(days).size, days[0], days.at(-1)]).toEqual([
      spanDays,
      spanDays,
      span.startDate,
      span.endDate,
    ]);
    expect(days).toEqual([...days].sort());
    expect(spansOf(sandbox.seen)).toEqual([
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
    expect(await clientOf(sandbox).analytics.activity({ startDate, endDate: yesterday }).all()).toHaveLength(45);
  });

  test("halves what is too large for one reply, down to a day, and goes on with less", async () => {
    const sandbox = await openSandbox({ users: 40 });
    const whole = await clientOf(sandbox).analytics.tokens(span).all();
    const largest = Math.max(...whole.map((row) => JSON.stringify(row).length));
    sandbox.seen.length = 0;
    const rows = await clientOf(sandbox, { maxReplyBytes: 4 * largest })
      .analytics.tokens(span)
      .all();
    expect(rows).toEqual(whole);
    const sizes = spansOf(sandbox.seen).map(([from = "", to = ""]) => {
      return (Date.parse(String(to)) - Date.parse(String(from))) / 86_400_000 + 1;
    });
    expect(sizes.slice(0, 5)).toEqual([30, 15, 7, 3, 3]);
    expect(sizes.slice(4, -1).every((size) => size === 3)).toBe(true);
    const tiny = clientOf(sandbox, { maxReplyBytes: 100 }).analytics.tokens(span).all();
    expect(await failureOf(tiny)).toMatchObject({ name: "ParseError", truncated: true });
  });
});

test("page() gets the whole span, or what begins at a day of it", async () => {
  const sandbox = await openSandbox({ users: 5 });
  const list = clientOf(sandbox).analytics.activity(span);
  expect(await list.page()).toMatchObject({ next: undefined, data: { length: spanDays } });
  const pages: Page<object>[] = await all(list.pages());
  expect((await list.page(pages[0]?.next)).items).toHaveLength(spanDays - 30);
  for (const day of ["2026-01-13", "2026-06-15", "soon", ""]) {
    expect(await failureOf(list.page(day))).toMatchObject({ name: "ArgumentError", parameter: "startDate" });
  }
});

test("users too many for one reply come in smaller pages", async () => {
  const sandbox = await openSandbox({ users: 120 });
  const list = clientOf(sandbox, { maxReplyBytes: 20_000 }).analytics.users({
    startDate: yesterday,
    endDate: yesterday,
  });
  expect(new Set((await list.all()).map((row) => row.user_id)).size).toBe(120);
  expect(sandbox.seen.map(({ url }) => url.searchParams.get("limit")).slice(0, 3)).toEqual(["100", "50", "25"]);
});
