import { Refusal, type Role } from "./access.ts";
import {
  activityByClient,
  activityRow,
  creditsByModel,
  creditsRow,
  listUsage,
  productivityRow,
  toolUsageByTool,
  toolUsageRow,
  userRow,
} from "./analytics.ts";
import { dayNumber, firstDay, oneDayMs, toDayText } from "./calendar.ts";
import type { Person } from "./people.ts";
import { uuid } from "./random.ts";
import type { FakeSession } from "./sessions.ts";
import { type FakeComputer, findMessages, type State } from "./state.ts";
import type { Usage } from "./usage.ts";

const v0 = { host: "base", takesJwt: true } as const;
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function computer({ state, parts }: Call): FakeComputer {
  const found = state.computers.get(parts[0] ?? "");
  if (found === undefined) throw new Refusal(404, "No such computer.");
  return found;
}

function update(call: Call): FakeComputer {
  const old = computer(call);
  const given = parseFields(call.body, ["name", "hostId", "remoteUser"]);
  textField(given, "name", 1, 63);
  textField(given, "remoteUser", 1, 63);
  const hostId = textField(given, "hostId", 1, 100);
  if (hostId !== undefined && !uuidPattern.test(hostId)) throw new Refusal(400, "hostId must be a UUID.");
  const changed = { ...old, ...given };
  call.state.computers.set(old.id, changed);
  return changed;
}

function installDeps(call: Call): FakeComputer {
  if (call.body !== "") throw new Refusal(400, "No body is taken.");
  const changed = { ...computer(call), status: "provisioning" };
  call.state.computers.set(changed.id, changed);
  return changed;
}

const analyticsRoute = {
  host: "base",
  method: "GET",
  roles: ["owner", "manager"],
  takesJwt: false,
  status: 200,
} as const;

const prefix = "/api/v1/analytics";
const dates = ["startDate", "endDate"] as const;

const today = ({ nowMs }: Call): number => Math.floor(nowMs / oneDayMs);

/** Picks the days for which the service has rows. */
const withData = (days: readonly number[], { firstDay, dropped }: State): number[] =>
  days.filter((day) => day >= firstDay && !dropped.has(day));

const meta = (days: readonly number[]) => ({
  org_id: "org_sandbox",
  start_date: toDayText(days[0] ?? 0),
  end_date: toDayText(days.at(-1) ?? 0),
});

/**
 * Endpoint with a row per user and day. `limit` counts users, not rows, and the cursor is the id of a page's last user.
 */
const users: Route = {
  ...analyticsRoute,
  path: `${prefix}/users`,
  query: [...dates, "limit", "cursor"],
  answer(call) {
    const days = span(call.query, today(call));
    const cursor = call.query.get("cursor") ?? undefined;
    const part = after(call.state.people, ({ id }) => id, cursor, limit(call.query, 20, 100));
    const present = withData(days, call.state);
    const data = part.items.flatMap((person) => present.map((day) => userRow(person, day)));
    const next = part.hasMore ? { next_cursor: part.last } : {};
    return { data, meta: { ...meta(days), has_more: part.hasMore, ...next } };
  },
};

/** Endpoints of analytics. */
const analyticsRoutes: readonly Route[] = [
  daily("tokens", creditsRow, { by: "model", rows: creditsByModel }),
  daily("tools", toolUsageRow, { by: "tool_name", rows: toolUsageByTool }),
  daily("activity", activityRow, { by: "client", rows: activityByClient }),
  daily("productivity", productivityRow),
  users,
];

const sessionRoute = { host: "base", takesJwt: true } as const;

const settingsFields = [
  "model",
  "specModeModel",
  "providerLockTimestamp",
  "assistantActiveTimeMs",
  "childInclusiveTokenUsageBySessionId",
  "archivedAt",
  "tags",
  "enabledToolIds",
  "disabledToolIds",
];

/** Endpoints of sessions and messages. */
const sessionRoutes: readonly Route[] = [
  {
    ...sessionRoute,
    method: "GET",
    path: "/api/v0/sessions",
    query: ["limit", "cursor", "computerId"],
    status: 200,
    answer({ query, state }) {
      const computerId = query.get("computerId");
      const own = state.sessions.filter((session) => computerId === null || session.computerId === computerId);
      const { items, pagination } = page(query, own, ({ sessionId }) => sessionId);
      return { sessions: items, pagination };
    },
  },
  { ...sessionRoute, method: "POST", path: "/api/v0/sessions", query: [], status: 201, answer: create },
  {
    ...sessionRoute,
    method: "GET",
    path: "/api/v0/sessions/{sessionId}/messages",
    query: ["limit", "cursor", "computerId", "role"],
    status: 200,
    answer(call) {
      const role = choice(call.query, "role", ["user", "assistant", "tool"]);
      const own = messages(call).filter((message) => role === undefined || message.role === role);
      const { items, pagination } = page(call.query, own, ({ id }) => id);
      return { messages: items, pagination };
    },
  },
  {
    ...sessionRoute,
    method: "GET",
    path: "/api/v0/sessions/{sessionId}/messages/{messageId}",
    query: ["computerId"],
    status: 200,
    answer(call) {
      const found = messages(call).find(({ id }) => id === call.parts[1]);
      if (found === undefined) throw new Refusal(404, "No such message.");
      return found;
    },
  },
];

/** Every documented endpoint. */
export const routes: readonly Route[] = [
  ...analyticsRoutes,
  {
    host: "app",
    method: "GET",
    path: "/api/organization/maturity-level-reports",
    query: ["repoId", "limit", "startAfter"],
    takesJwt: false,
    status: 200,
    answer({ query, state }) {
      const repoId = query.get("repoId");
      const own = state.reports.filter((candidate) => repoId === null || candidate.repoId === repoId);
      const start = query.get("startAfter") ?? undefined;
      const part = after(own, ({ report }) => report.reportId, start, limit(query, 50, 999_999_999));
      return { reports: part.items.map(({ report }) => report) };
    },
  },
  {
    ...v0,
    method: "GET",
    path: "/api/v0/organization/enterprise-controls/history",
    query: ["limit", "cursor"],
    status: 200,
    answer({ query, state }) {
      const { items, pagination } = page(query, state.changes, ({ revision }) => String(revision));
      return { changes: items, pagination };
    },
  },
  ...sessionRoutes,
  { ...v0, method: "PATCH", path: "/api/v0/computers/{computerId}", query: [], status: 200, answer: update },
  {
    ...v0,
    method: "POST",
    path: "/api/v0/computers/{computerId}/install-deps",
    query: [],
    status: 202,
    answer: installDeps,
  },
  {
    ...v0,
    method: "GET",
    path: "/api/v0/organization/users",
    query: ["limit", "cursor"],
    status: 200,
    answer({ query, state }) {
      const { items, pagination } = page(query, state.users, ({ id }) => id);
      return { users: items, pagination };
    },
  },
];

type Rows = (usages: readonly Usage[], day: number, people: readonly Person[]) => unknown;

/** Makes an endpoint with one row per day, or with `group_by` one row per group and day. */
function daily(name: string, rows: Rows, group?: { readonly by: string; readonly rows: Rows }): Route {
  return {
    ...analyticsRoute,
    path: `${prefix}/${name}`,
    query: group ? [...dates, "group_by"] : dates,
    answer(call) {
      const days = span(call.query, today(call));
      const grouped = group && choice(call.query, "group_by", [group.by]);
      const { people } = call.state;
      const make = grouped === undefined ? rows : (group?.rows ?? rows);
      const data = withData(days, call.state).flatMap((day) => make(listUsage(people, day), day, people));
      return { data, meta: meta(days) };
    },
  };
}

function create({ body, state, nowMs }: Call): FakeSession {
  const given = parseFields(body, ["computerId", "cwd", "sessionSettings"]);
  const computerId = textField(given, "computerId", 1, 1000);
  if (computerId === undefined) throw new Refusal(400, "computerId is required.");
  if (!state.computers.has(computerId)) throw new Refusal(404, "No such computer.");
  textField(given, "cwd", 1, 4096);
  const settings = given["sessionSettings"];
  const sessionSettings = settings === undefined ? {} : parseFields(JSON.stringify(settings), settingsFields);
  const session: FakeSession = {
    sessionId: uuid(state.seed, state.sessions.length, 60),
    status: "pending",
    messageCount: 0,
    createdAt: nowMs,
    updatedAt: nowMs,
    computerId,
    sessionSettings: sessionSettings as NonNullable<FakeSession["sessionSettings"]>,
  };
  state.sessions.unshift(session);
  return session;
}

function messages({ state, parts }: Call) {
  const found = findMessages(state, parts[0] ?? "");
  if (found === undefined) throw new Refusal(404, "No such session.");
  return found;
}

/** A request that passed the check of its access. */
interface Call {
  readonly query: URLSearchParams;
  /** Parts of the path, in the order of the template. */
  readonly parts: readonly string[];
  readonly body: string;
  readonly state: State;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/** An endpoint of the fake, written from the API document, not from the client. */
export interface Route {
  readonly host: "base" | "app";
  readonly method: "GET" | "POST" | "PATCH";
  /** Path template, with `{name}` in place of an id. */
  readonly path: string;
  /** Known query parameters. Any other is rejected to reveal a client's mistake. */
  readonly query: readonly string[];
  readonly roles?: readonly Role[];
  readonly takesJwt: boolean;
  readonly status: 200 | 201 | 202;
  /** @throws {Refusal} */
  answer(call: Call): unknown;
}

/** Lists the requested days as numbers, counted from 1970. @throws {Refusal} 400 */
function span(query: URLSearchParams, today: number): number[] {
  const [start, end] = ["startDate", "endDate"].map((name) => {
    const day = dayNumber(query.get(name) ?? "");
    if (day === undefined) throw new Refusal(400, `Invalid date format: ${name} must be YYYY-MM-DD.`);
    return day;
  }) as [number, number];
  if (end >= today) throw new Refusal(400, "Data has a 24-hour lag: the latest day is yesterday (UTC).");
  if (start < (dayNumber(firstDay) ?? 0)) throw new Refusal(400, `The earliest day is ${firstDay}.`);
  if (start > end) throw new Refusal(400, "startDate is after endDate.");
  return Array.from({ length: end - start + 1 }, (_, n) => start + n);
}

/** Reads the parameter `limit`, a number from 1 to `max`. @throws {Refusal} 400 */
function limit(query: URLSearchParams, byDefault: number, max: number): number {
  const text = query.get("limit");
  if (text === null) return byDefault;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max) throw new Refusal(400, `limit out of range: 1-${max}.`);
  return value;
}

/** Reads a parameter with fixed values; undefined if absent. @throws {Refusal} 400 */
function choice(query: URLSearchParams, name: string, values: readonly string[]): string | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!values.includes(value)) throw new Refusal(400, `${name} must be one of ${values.join(", ")}.`);
  return value;
}

/** A part of a list. */
interface Part<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  /** Key of the last item. */
  readonly last: string | undefined;
}

/**
 * Finds up to `size` items after the item with key `start`, or from the first item on. @throws {Refusal} 400 for an
 * unknown key
 */
function after<Item>(
  items: readonly Item[],
  key: (item: Item) => string,
  start: string | undefined,
  size: number,
): Part<Item> {
  const from = start === undefined ? 0 : items.findIndex((item) => key(item) === start) + 1;
  if (start !== undefined && from === 0) throw new Refusal(400, "The cursor does not belong to this list.");
  const part = items.slice(from, from + size);
  const end = part.at(-1);
  return { items: part, hasMore: from + size < items.length, last: end && key(end) };
}

/** Cuts a page of an `/api/v0` list, with its `pagination`. The cursor is opaque; the last page has none. */
function page<Item>(query: URLSearchParams, items: readonly Item[], key: (item: Item) => string) {
  const cursor = query.get("cursor");
  const start = cursor === null ? undefined : decodeCursor(cursor);
  const part = after(items, key, start, limit(query, 20, 100));
  const next = part.hasMore && part.last !== undefined ? btoa(part.last) : undefined;
  return { items: part.items, pagination: { hasMore: part.hasMore, ...(next && { nextCursor: next }) } };
}

/** @throws {Refusal} 400 */
function decodeCursor(cursor: string): string {
  try {
    return atob(cursor);
  } catch {
    throw new Refusal(400, "The cursor does not belong to this list.");
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Parses a JSON object with known fields. @throws {Refusal} 400 */
function parseFields(body: string, known: readonly string[]): Fields {
  const value = parse(body);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Refusal(400, "Not a JSON object.");
  const odd = Object.keys(value).find((name) => !known.includes(name));
  if (odd !== undefined) throw new Refusal(400, "A field of the body is not known.");
  return value as Fields;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, "The body is not JSON.");
  }
}

/** Reads a text field of `min` to `max` characters; undefined if absent. @throws {Refusal} 400 */
function textField(body: Fields, name: string, min: number, max: number): string | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  const length = typeof value === "string" ? [...value].length : 0;
  if (typeof value !== "string" || length < min || length > max) {
    throw new Refusal(400, `${name} must be a text of ${min}-${max} characters.`);
  }
  return value;
}
