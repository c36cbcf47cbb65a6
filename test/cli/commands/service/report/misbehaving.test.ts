import { afterAll, beforeAll, expect, test } from "vitest";
import { type Change, forbidden, type Reply, startFront } from "../../../../report/front.ts";
import { textOfHtml } from "../../../../world/html-text.ts";
import { person } from "../../../../world/service/people.ts";
import { createTerminal, openServiceHome, type ServiceHome } from "../../../../world/service-home.ts";

/**
 * A service that misbehaves: what a report's exit code, standard error and page say. Nothing incomplete passes as
 * complete. The period is 5 to 14 June, ten days.
 */

let world: ServiceHome;
beforeAll(async () => {
  world = await openServiceHome({ users: 4 });
});
afterAll(() => world.close());

type Answers = Parameters<typeof startFront>[1];
const isCurrent = (url: URL): boolean => url.searchParams.get("endDate") === "2026-06-14";

/** Changes replies for the period of the report; those for the period before stay as they are. */
const now =
  (change: (reply: Reply, url: URL) => object): Change =>
  (reply, url) =>
    isCurrent(url) ? change(reply, url) : reply;
const rows = (change: (data: readonly { date: string }[]) => readonly unknown[]): Change =>
  now(({ data, meta }) => ({ data: change(data), meta }));
const meta = (change: object): Change => now((reply) => ({ ...reply, meta: { ...reply.meta, ...change } }));
const thousand = (row: object) => ({ ...row, billable_tokens: 1000 });
const from = (date: string) =>
  now(({ data, meta }) => ({ data: data.filter((row) => row.date >= date), meta: { ...meta, start_date: date } }));
const seats = "organization/users";
const list =
  (pagination: object): Change =>
  (reply) => ({ ...reply, pagination });

const nullNames: Change = (reply) => {
  const { users } = reply as unknown as { users: readonly object[] };
  return { ...reply, users: users.map((one) => ({ ...one, email: null, lastSignInAt: null })) };
};
/** The later of the slices in which a period of 60 days is asked for is nonsense. */
const brokenSlice: Change = now(() => ({ data: "?" }));
/** A reply of more than fifteen days is larger than what the client takes. */
const tooLarge: Change = (reply, url) => {
  const [start, end] = ["startDate", "endDate"].map((name) => Date.parse(url.searchParams.get(name) ?? ""));
  const isLong = Number(end) - Number(start) > 15 * 86_400_000;
  return { ...reply, data: reply.data.map(thousand), ...(isLong && { padding: "x".repeat(65 * 1024 * 1024) }) };
};

/** The part's title is told with what it lacks; a figure of it is shown with what that lacks. */
type Row = readonly [what: string, answers: Answers, exitCode: number, says: string, figure: string, shown: RegExp];
const [credits, activity, users] = ["Credits and tokens", "Activity", "Users"];
const more = (part: string, why: string) => `${part}: the service has more than it sent (${why})`;
const refused = (body: object): Answers => ({ [seats]: { status: 409, body } });
const table: readonly Row[] = [
  ["nothing", {}, 0, "", "credits", /^Credits3,165,429 316,543 a day /],
  [
    "more users and no cursor",
    { users: meta({ has_more: true }) },
    1,
    more(users, "missing cursor"),
    "active_users",
    /4 list incomplete/,
  ],
  [
    "a null cursor",
    { users: meta({ has_more: true, next_cursor: null }) },
    1,
    more(users, "missing cursor"),
    "active_users",
    /4 list incomplete/,
  ],
  [
    "an empty cursor",
    { users: meta({ has_more: true, next_cursor: "" }) },
    1,
    more(users, "empty cursor"),
    "active_users",
    /4 list incomplete/,
  ],
  [
    "the same cursor",
    { users: meta({ has_more: true, next_cursor: person(3).id }) },
    1,
    more(users, "repeated cursor"),
    "active_users",
    /4 list incomplete/,
  ],
  [
    "more seats and no cursor",
    { [seats]: list({ hasMore: true }) },
    1,
    more("Seats", "missing cursor"),
    "idle_seats",
    /0 list incomplete/,
  ],
  [
    "days absent",
    { tokens: rows((data) => data.slice(2).map(thousand)) },
    1,
    `${credits}: no data for 2 of 10 days (5–6 Jun)`,
    "credits",
    /8,000 8 of 10 days 1,000 a day/,
  ],
  [
    "no rows",
    { tokens: rows(() => []) },
    1,
    `${credits}: no data for 10 of 10 days (5–14 Jun)`,
    "credits",
    /^Credits– no data $/,
  ],
  [
    "a span clamped",
    { activity: from("2026-06-08") },
    1,
    `${activity}: the service answered for 8 Jun 2026 to 14 Jun 2026 only`,
    "sessions",
    /40 7 of 10 days/,
  ],
  [
    "rows, but a clamped meta",
    { productivity: meta({ start_date: "2026-06-06" }) },
    1,
    "Commits and pull requests: the service answered for 6 Jun 2026 to 14 Jun 2026 only",
    "commits",
    /43 not all days/,
  ],
  [
    "users of fewer days",
    { users: from("2026-06-06") },
    1,
    `${users}: no data for 1 of 10 days (5 Jun)`,
    "active_users",
    /4 9 of 10 days/,
  ],
  [
    "a row for another day",
    { tokens: rows((data) => [...data.map(thousand), { ...data[0], date: "2026-05-01" }]) },
    0,
    `${credits}: 1 row for other days is not counted`,
    "credits",
    /^Credits10,000 1,000 a day /,
  ],
  ["null in an optional field", { [seats]: nullNames }, 0, "", "idle_seats", /^Idle seats0 $/],
  [
    "a row that does not fit",
    { tokens: rows(([row, ...data]) => [{ ...row, by_model: 7 }, ...data.map(thousand)]) },
    1,
    `${credits}: 1 row could not be read, and is not counted`,
    "credits",
    /9,000 9 of 10 days 1,000 a day/,
  ],
  [
    "a user's row that does not fit",
    { users: rows(([row, ...data]) => [{ ...row, sessions: "x" }, ...data]) },
    1,
    `${users}: 1 row could not be read, and is not counted`,
    "active_users",
    /4 without 1 row/,
  ],
  [
    "a reply that does not fit",
    { tools: { status: 200, body: { data: "?" } } },
    1,
    "sent a reply that does not match the API, at data: ",
    "tool_calls",
    /^Tool calls– no data $/,
  ],
  [
    "a request refused",
    { tokens: forbidden },
    1,
    "answered 403 Forbidden: Manager or Owner role required",
    "credits",
    /^Credits– no data $/,
  ],
  [
    "a slice of a long span that does not fit",
    { tokens: brokenSlice },
    1,
    `${credits}: missing: `,
    "credits",
    /^Credits– no data $/,
  ],
  ["a slice too large for a reply", { tokens: tooLarge }, 0, "", "credits", /^Credits60,000 1,000 a day /],
  ["{error: {message}}", refused({ error: { message: "Busy." } }), 1, "answered 409 Busy", "idle_seats", /– no data/],
  ["{message}", refused({ message: "Busy." }), 1, "answered 409 Busy", "idle_seats", /– no data/],
  ["{error}", refused({ error: "Busy." }), 1, "answered 409 Busy", "idle_seats", /– no data/],
  [
    "{title, detail}",
    refused({ title: "Busy", detail: "Come again." }),
    1,
    "answered 409 Busy: Come again",
    "idle_seats",
    /– no data/,
  ],
  ["another shape", refused({ why: "Busy.", token: "canary" }), 1, "answered 409", "idle_seats", /– no data/],
  [
    "another shape, which is shown",
    refused({ why: "Busy.", token: "canary" }),
    1,
    'The reply: {"why":"Busy.","token":"[secret]"}',
    "idle_seats",
    /– no data/,
  ],
  ["a status of 5xx", { tokens: { status: 502, body: {} } }, 1, "answered 502", "credits", /^Credits– no data $/],
];

test.each(table)("%s", async (what, answers, exitCode, says, figure, shown) => {
  const origin = await startFront(world.sandbox, answers);
  const since = what.includes("slice") ? "60d" : "10d";
  const result = await world.run(`report --since ${since} --out -`, {}, { BECKON_BASE_URL: origin });
  const [, notice = ""] = /<aside[^>]*>(.*?)<\/aside>/s.exec(result.stdout) ?? [];
  const [, tile = ""] = new RegExp(`id="figure-${figure}">(.*?)</div>`, "s").exec(result.stdout) ?? [];
  const [title, told] = [titleOf(notice), textOfHtml(notice)];
  expect([result.exitCode, title]).toEqual([
    exitCode,
    exitCode === 1 ? "This report is not complete" : says && "About this report",
  ]);
  expect(textOfHtml(tile.replaceAll("</dd>", " ")).replace(/\s+/g, " ")).toMatch(shown);
  expect(result.stderr).toMatch(says === "" ? /^$/ : /^beckon: /);
  expect([result.stderr, told]).toEqual([expect.stringContaining(says), expect.stringContaining(says)]);
  expect(told).not.toMatch(/\.\./);
  expect(`${result.stdout}${result.stderr}`).not.toContain("canary");
});

test("progress is removed from the terminal although users end early, and is no part of what is told", async () => {
  const origin = await startFront(world.sandbox, { users: meta({ has_more: true }) });
  const errorTerminal = createTerminal(80);
  const { exitCode, stderr } = await world.run("report --since 10d", { errorTerminal }, { BECKON_BASE_URL: origin });
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(more(users, "missing cursor"))]);
  expect(errorTerminal.written).toMatch(/rows of users so far …\r\u001b\[2K$/);
  expect(stderr).not.toContain("so far");
});

function titleOf(notice: string): string {
  return /<h2>(.*?)<\/h2>/.exec(notice)?.[1] ?? "";
}
