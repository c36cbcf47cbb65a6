import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type CliHome, createCliHome } from "../../../../world/cli-home.ts";
import { answer, type Behaviour, htmlPage, startHostileServer } from "../../../../world/hostile-server.ts";
import { noonMs } from "../../../../world/service/client.ts";
import { apiKey, jsonReply, statusReply } from "../../../../world/service/hostile-service.ts";

/** A service that misbehaves: what a command shows, says and exits with. Nothing incomplete passes as complete. */

let home: CliHome;
beforeAll(() => {
  home = createCliHome();
});
afterAll(() => home.remove());

const users = (pagination: object) => jsonReply({ users: [{ id: "u1" }, { id: "u2" }], pagination });
const computer = { id: "c1", name: "n", providerType: "byom", createdAt: 1 };
const day = (date: string) => ({
  date,
  files_created: 1,
  files_edited: 1,
  by_extension: [],
  by_language: [],
  git_commits: 1,
  git_prs_created: 1,
});
const june = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `2026-06-${String(from + n).padStart(2, "0")}`);
const days = (dates: readonly string[], start = "2026-06-05", end = "2026-06-14") =>
  jsonReply({ data: dates.map(day), meta: { org_id: "o", start_date: start, end_date: end } });
const noUsers = (start_date: string) =>
  jsonReply({ data: [], meta: { org_id: "o", start_date, end_date: "2026-06-14", has_more: false } });
const period = "analytics productivity --since 10d";
const change = "computers update c1 --name n";

type Row = readonly [what: string, line: string, behaviour: Behaviour, exitCode: number, rows: number, says: RegExp];
const table: readonly Row[] = [
  ["more and no cursor", "users list", users({ hasMore: true }), 1, 2, /2 rows came in 1 page, and there are more/],
  ["more and no cursor, --all", "users list --all", users({ hasMore: true }), 1, 2, /names no cursor/],
  ["more and a null cursor", "users list --all", users({ hasMore: true, nextCursor: null }), 1, 2, /names no cursor/],
  ["an empty cursor", "users list --limit 250", users({ hasMore: true, nextCursor: "" }), 1, 2, /an empty cursor/],
  ["the same cursor", "users list --all", users({ hasMore: true, nextCursor: "x" }), 1, 4, /4 rows came in 2 pages/],
  ["more, but enough", "users list --limit 2", users({ hasMore: true, nextCursor: "x" }), 0, 2, /^There are more/],
  ["all days", period, days(june(5, 14)), 0, 10, /^$/],
  [
    "days absent",
    period,
    days([...june(5, 7), ...june(10, 14)]),
    1,
    8,
    /2 of 10 days are missing.*06-08 to 2026-06-09/,
  ],
  ["a span clamped", period, days(june(8, 14), "2026-06-08"), 1, 7, /3 of 10 days are missing.*06-05 to 2026-06-07/],
  ["rows, but a clamped meta", period, days(june(5, 14), "2026-06-06"), 1, 10, /1 of 10 days are missing.*2026-06-05/],
  ["no rows", period, days([]), 1, 0, /10 of 10 days are missing/],
  ["users of fewer days", "analytics users --since 10d", noUsers("2026-06-06"), 1, 0, /1 of 10 days are missing/],
  ["nobody active", "analytics users --since 10d", noUsers("2026-06-05"), 0, 0, /^$/],
  [
    "null fields",
    "users list",
    jsonReply({ users: [{ id: "u", email: null }], pagination: { hasMore: false } }),
    0,
    1,
    /^$/,
  ],
  [
    "a row that does not fit",
    "users list",
    jsonReply({ users: [{ id: "u", email: 7 }], pagination: { hasMore: false } }),
    1,
    0,
    /at users\[0\]\.email: .*\(GET \/api\/v0\/organization\/users, status 200\)\n(?!.*address).*\n {2}The reply: \{"id":"u","email":7\}\n$/,
  ],
  ["a page", "users list", htmlPage, 1, 0, /a web page instead of JSON.*\n.*addresses/],
  [
    "a PATCH with text",
    change,
    answer(200, { "x-request-id": "r7" }, "ok"),
    1,
    0,
    /request r7\)\n {2}It may have taken/,
  ],
  ["a PATCH that does not fit", change, jsonReply({ ...computer, id: 7 }), 1, 0, /at id: .*\n {2}It may have taken/],
  ["a PATCH with 502", change, statusReply(502), 1, 0, /answered 502\n {2}It may have taken effect/],
  ["{error: {message}}", change, statusReply(409, { error: { message: "Busy." } }), 1, 0, /answered 409 Busy\.\n/],
  ["{message}", change, statusReply(422, { message: "Bad name." }), 1, 0, /answered 422 Bad name\.\n/],
  [
    "another shape",
    change,
    statusReply(422, { why: "x", token: "canary" }),
    1,
    0,
    /The reply: \{"why":"x","token":"\[secret\]"\}/,
  ],
];

test.each(table)("%s: %s", async (_, line, behaviour, exitCode, rows, says) => {
  const server = await startHostileServer({ "*": behaviour });
  onTestFinished(() => server.close());
  const env = { ...home.env, BECKON_BASE_URL: server.origin, BECKON_APP_URL: server.origin, BECKON_API_KEY: apiKey };
  const environment = { home: home.home, project: home.project, env, platform: process.platform };
  const args = ["service", ...line.split(" "), "--json"];
  const result = await home.run(args, { environment, now: () => noonMs });
  const shown = result.stdout.split("\n").filter(Boolean).length;
  expect([result.exitCode, shown]).toEqual([exitCode, rows]);
  expect(result.stderr).toMatch(says);
  expect(`${result.stdout}${result.stderr}`).not.toMatch(/canary|key\+7f/);
});
