import { afterAll, beforeAll, expect, test } from "vitest";
import { ArgumentError, type List } from "../../src/service.ts";
import { clientOf, failureOf, lastDay, noonMs } from "../world/service/client.ts";
import { type Sandbox, startSandbox } from "../world/service/server.ts";
import { longestSession, makeSession } from "../world/service/sessions.ts";

const session = makeSession(longestSession).sessionId;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => noonMs });
});
afterAll(() => sandbox.close());

const limit = "must be a whole number from 1 to 100";
const positive = /must be (a whole number, )?1 or more/;
const short = "must be a text of 1 to 63 characters";
type Refused = readonly [what: string, parameter: string, args: unknown, says: string | RegExp];
const day = (name: string, given: unknown, says: string | RegExp): readonly Refused[] =>
  ["tokens", "tools", "activity", "productivity", "users"].map(
    (kind) => [`analytics.${kind}`, name, { ...lastDay, [name]: given }, says] as const,
  );
const limits = (what: string, given: object = {}): readonly Refused[] =>
  [0, 101, -1, 1.5, Number.NaN, "5"].map((value) => [what, "limit", { ...given, limit: value }, limit] as const);
const refused: readonly Refused[] = [
  ...day("startDate", "2026-01-13", "is before 2026-01-14, the first day with data"),
  ...day("endDate", "2026-06-15", "is today (UTC): data has a 24-hour lag"),
  ...day("startDate", "2026-06-15", "is today (UTC): data has a 24-hour lag"),
  ...day("endDate", "2026-06-16", "is in the future: data has a 24-hour lag"),
  ...day("startDate", "14.06.2026", "must be a calendar day as YYYY-MM-DD"),
  ...day("endDate", "2026-02-30", "must be a calendar day as YYYY-MM-DD"),
  ...day("startDate", undefined, "is missing"),
  ...["tokens", "tools", "activity", "productivity", "users"].map((kind): Refused => {
    const reversed = { startDate: "2026-06-14", endDate: "2026-06-13" };
    return [`analytics.${kind}`, "startDate", reversed, "is after `endDate` 2026-06-13"];
  }),
  ["analytics.tokens", "groupBy", { ...lastDay, groupBy: "user" }, 'must be "model"'],
  ["analytics.tools", "groupBy", { ...lastDay, groupBy: "model" }, 'must be "tool_name"'],
  ["analytics.activity", "groupBy", { ...lastDay, groupBy: "day" }, 'must be "client"'],
  ["analytics.users", "groupBy", { ...lastDay, groupBy: "model" }, "is not accepted here"],
  ...limits("analytics.users", lastDay),
  ...["enterpriseControls.history", "sessions.list", "sessions.messages", "users.list"].flatMap((what) => limits(what)),
  ...[0, -1, 1.5, "5"].map((value): Refused => ["readiness.reports", "limit", { limit: value }, positive]),
  ["sessions.messages", "role", { role: "system" }, "must be one of user, assistant, tool"],
  ["users.list", "cursor", { cursor: "" }, "must be the cursor of a page"],
  ["sessions.create", "computerId", {}, "is missing"],
  ["sessions.create", "cwd", { computerId: "c", cwd: "" }, "must be a text of 1 to 4096 characters"],
  ["sessions.create", "cwd", { computerId: "c", cwd: "x".repeat(4097) }, "must be a text of 1 to 4096 characters"],
  [
    "sessions.create",
    "sessionSettings.tokenUsage",
    { computerId: "c", sessionSettings: { tokenUsage: {} } },
    "is not accepted here",
  ],
  ...["name", "remoteUser"].flatMap((field): Refused[] => [
    ["computers.update", field, { [field]: "" }, short],
    ["computers.update", field, { [field]: "x".repeat(64) }, short],
  ]),
  ["computers.update", "hostId", { hostId: "host-1" }, "must be a UUID"],
  ["computers.update", "status", { status: "active" }, "is not accepted here"],
];

/** The call, with the beginning of the rejected value. */
function titleOf([what, parameter, args]: Refused): string {
  const value = parameter
    .split(".")
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], args);
  const shown = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? "nothing");
  return `${what} with ${shown.length > 20 ? `${shown.slice(0, 10)}… (${shown.length - 2})` : shown} as ${parameter}`;
}

/** What is unexpected about the client's answer to a call; undefined if it rejects the call as the row says. */
async function surprise([what, parameter, args, says]: Refused): Promise<unknown> {
  const [resource = "", verb = ""] = what.split(".");
  const client = clientOf(sandbox) as unknown as Record<string, Record<string, (...args: unknown[]) => List<unknown>>>;
  const ids = /messages$/.test(what) ? [session] : what === "computers.update" ? ["computer_1"] : [];
  const call = async () => {
    const result: unknown = client[resource]?.[verb]?.(...ids, args);
    return await (result instanceof Promise ? result : (result as List<unknown>).page());
  };
  const error = await failureOf(call()).catch((fault: unknown) => fault);
  const isExpected =
    error instanceof ArgumentError &&
    error.reason === "rejected" &&
    error.parameter === parameter &&
    (says instanceof RegExp ? says.test(error.message) : error.message.includes(says));
  return isExpected ? undefined : error;
}

test("arguments outside the limits of the API are rejected before anything is sent", async () => {
  const rows = refused.map(async (row) => [titleOf(row), await surprise(row)] as const);
  expect((await Promise.all(rows)).filter(([, error]) => error !== undefined)).toEqual([]);
  expect(refused.length).toBeGreaterThan(60);
  expect(sandbox.seen).toEqual([]);
});
