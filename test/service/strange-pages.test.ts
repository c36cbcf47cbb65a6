import { describe, expect, test } from "vitest";
import { all, catchFailure } from "../world/service/client.ts";
import { productivity, reports, startStrangeService, users, usersPage } from "./strange-service.ts";

describe("readiness reports", () => {
  test.each([
    ["a service that ignores startAfter", { limit: undefined }, () => reports(0, 20)],
    ["a service that ignores startAfter and reduces the limit", { limit: 50 }, () => reports(0, 20)],
    ["a service that goes in a circle", { limit: undefined }, (at: string) => reports(at === "r19" ? 10 : 0, 20)],
    ["a service that repeats its only report for a limit of 1", { limit: 1 }, () => reports(0, 1)],
  ])("of %s are incomplete", async (_, query, answer) => {
    const service = await startStrangeService(({ url }) => ({
      body: { reports: answer(url.searchParams.get("startAfter") ?? "") },
    }));
    const list = service.client().readiness.reports(query);
    const error = await catchFailure(list.all());
    expect(error).toMatchObject({
      name: "IncompleteError",
      reason: "repeated page",
      message: expect.stringContaining("there may be more"),
    });
    const pages = await all(list.pages());
    expect(pages.at(-1)).toMatchObject({ items: [], next: undefined, incomplete: "repeated page" });
    if (query.limit === 1) return; // not possible on the command line together with --all
    const { exitCode, stderr } = await service.run("readiness reports --all");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("sends an earlier page instead of the next one")]);
  });

  test.each([
    ["an empty page", [reports(0, 20), []]],
    ["the report after which it should start", [reports(0, 20), reports(19, 1)]],
    ["its only report again", [reports(0, 1), reports(0, 1)]],
  ])("end without a fault at %s", async (_, pages) => {
    const service = await startStrangeService((_request, count) => ({ body: { reports: pages[count - 1] } }));
    expect(await service.client().readiness.reports().all()).toEqual(pages[0]);
  });
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
