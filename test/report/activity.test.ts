import fc from "fast-check";
import { expect, test } from "vitest";
import { activityOf } from "../../src/report/parts.ts";
import { activityRows, days, sumOf } from "./rows.ts";

test("every number is the sum of the rows", () => {
  fc.assert(
    fc.property(activityRows, (rows) => {
      const activity = activityOf(rows, days);
      expect(activity.activeUsers.total).toBe(sumOf(rows, (row) => row.daily_active_users));
      expect(activity.sessions.total).toBe(sumOf(rows, (row) => row.sessions));
      expect(activity.messages).toBe(sumOf(rows, (row) => row.messages));
      expect(activity.userMessages).toBe(sumOf(rows, (row) => row.user_messages));
      for (const client of ["web", "terminal-ui"]) {
        const series = activity.byClient.find(({ name }) => name === client);
        expect(series?.total ?? 0).toBe(sumOf(rows, (row) => row.daily_active_users_by_client[client] ?? 0));
      }
      const all = sumOf(rows, (row) => sumOf(Object.values(row.daily_active_users_by_client), (count) => count));
      expect(sumOf(activity.byClient, ({ total }) => total)).toBe(all);
    }),
    { numRuns: 200 },
  );
});

test("the users of a month are those of the last day, wherever its row is", () => {
  const row = (date: string, monthly: number) => ({
    date,
    daily_active_users: 1,
    weekly_active_users: 1,
    monthly_active_users: monthly,
    daily_active_users_by_client: {},
    sessions: 0,
    messages: 0,
    user_messages: 0,
  });
  expect(activityOf([row("2026-06-03", 7), row("2026-06-01", 5)], days).monthlyActiveUsers).toBe(7);
  expect(activityOf([], days).monthlyActiveUsers).toBe(0);
});
