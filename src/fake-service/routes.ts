import type { Endpoint } from "../service/endpoint.ts";
import type { Computer, Session } from "../service/schemas/objects.ts";
import { Refusal } from "./access.ts";
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
import { dayNumber, type Person, toDayText, type Usage } from "./people.ts";
import { uuid } from "./random.ts";
import { makeMessages } from "./sessions.ts";
import type { State } from "./state.ts";

/** Request whose access and arguments were checked. */
export interface Call {
  readonly endpoint: Endpoint;
  /** Ids in the path, in the order of the template. */
  readonly ids: readonly string[];
  /** Query in the spelling of the client's callers. */
  readonly query: Readonly<Partial<Record<string, string>>> & { readonly limit?: number };
  readonly body: Readonly<Record<string, unknown>>;
  readonly state: State;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/** Answers of the fake, by the client's operations. Each throws a `Refusal` for something that does not exist. */
export const answers: Readonly<Record<string, (call: Call) => unknown>> = {
  "analytics.tokens": daily(creditsRow, creditsByModel),
  "analytics.tools": daily(toolUsageRow, toolUsageByTool),
  "analytics.activity": daily(activityRow, activityByClient),
  "analytics.productivity": daily(productivityRow),
  "analytics.users": answerUsers,
  "readiness.reports"({ query: { repoId, startAfter, limit = 50 }, state }) {
    const own = state.reports.filter((candidate) => repoId === undefined || candidate.repoId === repoId);
    const part = after(own, ({ report }) => report.reportId, startAfter, limit);
    return { reports: part.items.map(({ report }) => report) };
  },
  "enterpriseControls.history": (call) => page(call, call.state.changes, ({ revision }) => String(revision)),
  "sessions.list"(call) {
    const { computerId } = call.query;
    const own = call.state.sessions.filter((item) => computerId === undefined || item.computerId === computerId);
    return page(call, own, ({ sessionId }) => sessionId);
  },
  "sessions.create": createSession,
  "sessions.messages"(call) {
    const { role } = call.query;
    const own = messages(call).filter((message) => role === undefined || message.role === role);
    return page(call, own, ({ id }) => id);
  },
  "sessions.message"(call) {
    const found = messages(call).find(({ id }) => id === call.ids[1]);
    if (found === undefined) throw new Refusal(404, "No such message.");
    return found;
  },
  "computers.update": (call) => changeComputer(call, call.body),
  "computers.installDeps": (call) => changeComputer(call, { status: "provisioning" }),
  "users.list": (call) => page(call, call.state.users, ({ id }) => id),
};

/** Picks the days of the query for which the service has rows. */
function withData({ query: { startDate = "", endDate = "" }, state: { firstDay, dropped } }: Call): number[] {
  const [start = 0, end = 0] = [startDate, endDate].map(dayNumber);
  const days = Array.from({ length: end - start + 1 }, (_, n) => start + n);
  return days.filter((day) => day >= firstDay && !dropped.has(day));
}

const meta = ({ query: { startDate, endDate } }: Call) => ({
  org_id: "org_sandbox",
  start_date: startDate,
  end_date: endDate,
});

type Rows = (usages: readonly Usage[], day: number, people: readonly Person[]) => object | readonly object[];

/** Makes the answer with one row per day, or with `group_by` one row per group and day. */
function daily(rows: Rows, groupedRows = rows) {
  return (call: Call) => {
    const { people } = call.state;
    const make = call.query["groupBy"] === undefined ? rows : groupedRows;
    const data = withData(call).flatMap((day) => {
      const made = [make(listUsage(people, day), day, people)].flat();
      return made.map((row) => ({ date: toDayText(day), ...row }));
    });
    return { data, meta: meta(call) };
  };
}

/** Answers with a row per user and day. `limit` counts users, not rows, and the cursor is the id of a page's last user. */
function answerUsers(call: Call) {
  const { cursor, limit = 20 } = call.query;
  const part = after(call.state.people, ({ id }) => id, cursor, limit);
  const days = withData(call);
  const data = part.items.flatMap((person) => days.map((day) => userRow(person, day)));
  const next = part.hasMore ? { next_cursor: part.last } : {};
  return { data, meta: { ...meta(call), has_more: part.hasMore, ...next } };
}

function createSession({ body, state, nowMs }: Call): Session {
  const { computerId, sessionSettings = {} } = body as Partial<Session>;
  if (!state.computers.has(computerId ?? "")) throw new Refusal(404, "No such computer.");
  const session: Session = {
    sessionId: uuid(state.seed, state.sessions.length, 60),
    status: "pending",
    messageCount: 0,
    createdAt: nowMs,
    updatedAt: nowMs,
    computerId,
    sessionSettings,
  };
  state.sessions.unshift(session);
  return session;
}

function messages({ state, ids: [sessionId = ""] }: Call) {
  const session = state.sessions.find((candidate) => candidate.sessionId === sessionId);
  if (session === undefined) throw new Refusal(404, "No such session.");
  return makeMessages(session);
}

function changeComputer({ state: { computers }, ids: [id = ""] }: Call, change: Partial<Computer>): Computer {
  const old = computers.get(id);
  if (old === undefined) throw new Refusal(404, "No such computer.");
  const changed = { ...old, ...change };
  computers.set(id, changed);
  return changed;
}

/**
 * Finds up to `size` items after the item with key `start`, or from the first item on. @throws {Refusal} 400 for an
 * unknown key
 */
function after<Item>(items: readonly Item[], key: (item: Item) => string, start: string | undefined, size: number) {
  const from = start === undefined ? 0 : items.findIndex((item) => key(item) === start) + 1;
  if (start !== undefined && from === 0) throw new Refusal(400, "The cursor does not belong to this list.");
  const part = items.slice(from, from + size);
  const end = part.at(-1);
  const last = end && key(end);
  return { items: part, hasMore: from + size < items.length, last };
}

/** Cuts a page of an `/api/v0` list, with its `pagination`. The cursor is opaque; the last page has none. */
function page<Item>({ endpoint, query }: Call, items: readonly Item[], key: (item: Item) => string) {
  const { cursor, limit = 20 } = query;
  const part = after(items, (item) => btoa(key(item)), cursor, limit);
  const pagination = { hasMore: part.hasMore, ...(part.hasMore && { nextCursor: part.last }) };
  return { [endpoint.items ?? ""]: part.items, pagination };
}
