import fc from "fast-check";
import { expect, test } from "vitest";
import { PeopleTally } from "../../src/report/people.ts";
import type { UserRow } from "../../src/service/schemas/analytics.ts";
import { sumOf, userRows } from "./rows.ts";

function peopleOf(rows: readonly UserRow[]) {
  const tally = new PeopleTally();
  for (const row of rows) tally.add(row);
  return tally.result();
}

test("every number is the sum of the rows, in any order", () => {
  fc.assert(
    fc.property(userRows, (rows) => {
      const people = peopleOf(rows);
      expect(people.users).toBe(new Set(rows.map(({ user_id }) => user_id)).size);
      expect(people.totals).toEqual({
        credits: sumOf(rows, (row) => row.billable_tokens),
        sessions: sumOf(rows, (row) => row.sessions),
        messages: sumOf(rows, (row) => row.messages),
        toolCalls: sumOf(rows, (row) => row.tool_calls),
        commits: sumOf(rows, (row) => row.git_commits),
        pullRequests: sumOf(rows, (row) => row.git_prs_created),
      });
      expect(sumOf(people.top, ({ credits }) => credits)).toBe(people.totals.credits);
      const backwards = peopleOf(rows.toReversed());
      expect(backwards.top.map(({ credits }) => credits)).toEqual(people.top.map(({ credits }) => credits));
    }),
    { numRuns: 200 },
  );
});

const [sample] = fc.sample(
  userRows.filter((rows) => rows.length > 0),
  { numRuns: 1, seed: 1 },
);
const row = (changes: Partial<UserRow>): UserRow => ({ ...(sample?.[0] as UserRow), ...changes });

test("a user's model and mode are the ones with most credits, and the name is the e-mail address", () => {
  const { top } = peopleOf([
    row({ user_id: "u1", user_email: null, billable_tokens: 5, primary_model: "small", delegation_level: "spec" }),
    row({ user_id: "u1", user_email: "a@b.c", billable_tokens: 4, primary_model: "large", delegation_level: "manual" }),
    row({ user_id: "u1", user_email: null, billable_tokens: 4, primary_model: "large", delegation_level: "manual" }),
    row({ user_id: "u2", user_email: null, billable_tokens: 1 }),
  ]);
  expect(top).toMatchObject([
    { name: "a@b.c", credits: 13, model: "large", mode: "manual" },
    { name: "u2", credits: 1 },
  ]);
});

test("a user whose counts are all zero is not active", () => {
  const none = { billable_tokens: 0, sessions: 0, messages: 0, tool_calls: 0, git_commits: 0, git_prs_created: 0 };
  expect(peopleOf([row({ user_id: "u1", ...none }), row({ user_id: "u2", ...none, sessions: 1 })])).toMatchObject({
    users: 2,
    active: 1,
  });
});

test("the top 25 users are listed", () => {
  const rows = Array.from({ length: 40 }, (_, n) => row({ user_id: `u${n}`, user_email: null, billable_tokens: n }));
  const { top } = peopleOf(rows);
  expect(top.map(({ name }) => name)).toEqual(Array.from({ length: 25 }, (_, n) => `u${39 - n}`));
});
