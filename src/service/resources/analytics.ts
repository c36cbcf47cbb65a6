import * as z from "zod";
import { cursor, days } from "../arguments.ts";
import type { CallOptions } from "../call-options.ts";
import { type ListEndpoint, type ListOf, managers, type QueryOf } from "../endpoint.ts";
import { limit, maxLimit } from "../paging.ts";
import * as schemas from "../schemas/analytics.ts";
import { Resource } from "../transport.ts";

const shared = {
  method: "GET",
  base: "baseUrl",
  roles: managers,
  daily: true,
  status: 200,
  items: "data",
  paging: { parameter: "startDate", walkSize: 30 },
} as const;

/** Makes the parameter that asks for a row for each group and day. */
const grouping = <Name extends string>(name: Name, description: string) =>
  z.literal(name, `must be "${name}"`).optional().describe(description);

export const tokens = {
  ...shared,
  name: "analytics.tokens",
  summary: "Show credits and tokens for each day.",
  path: "/api/v1/analytics/tokens",
  query: z.strictObject({
    ...days,
    groupBy: grouping("model", "Print a row for each model and day instead of each day."),
  }),
  reply: schemas.makeEnvelope(schemas.creditsRowSchema),
  groupedReply: schemas.makeEnvelope(schemas.creditsByModelRowSchema),
} as const satisfies ListEndpoint;

export const tools = {
  ...shared,
  name: "analytics.tools",
  summary: "Show the use of tools, MCP servers, skills, slash commands and hooks for each day.",
  path: "/api/v1/analytics/tools",
  query: z.strictObject({
    ...days,
    groupBy: grouping("tool_name", "Print only the use of each tool, with a row for each tool and day."),
  }),
  reply: schemas.makeEnvelope(schemas.toolUsageRowSchema),
  groupedReply: schemas.makeEnvelope(schemas.toolUsageByToolRowSchema),
} as const satisfies ListEndpoint;

export const activity = {
  ...shared,
  name: "analytics.activity",
  summary: "Show the numbers of active users, sessions and messages for each day.",
  path: "/api/v1/analytics/activity",
  query: z.strictObject({
    ...days,
    groupBy: grouping("client", "Print only active users, with a row for each client and day."),
  }),
  reply: schemas.makeEnvelope(schemas.activityRowSchema),
  groupedReply: schemas.makeEnvelope(schemas.activityByClientRowSchema),
} as const satisfies ListEndpoint;

export const productivity = {
  ...shared,
  name: "analytics.productivity",
  summary: "Show the numbers of files, commits and pull requests for each day.",
  path: "/api/v1/analytics/productivity",
  query: z.strictObject(days),
  reply: schemas.makeEnvelope(schemas.productivityRowSchema),
} as const satisfies ListEndpoint;

export const userMetrics = {
  ...shared,
  name: "analytics.users",
  summary: "Show each user's tokens, tool calls, messages and commits for each day.",
  path: "/api/v1/analytics/users",
  query: z.strictObject({ ...days, limit, cursor }),
  reply: schemas.makeEnvelope(schemas.userRowSchema).extend({ meta: schemas.pagedAnalyticsMetaSchema }),
  paging: { parameter: "cursor", at: "meta", more: "has_more", next: "next_cursor", walkSize: maxLimit },
} as const satisfies ListEndpoint;

/**
 * First and last day (UTC) of a span, as `YYYY-MM-DD` or as a Date, whose UTC day is used. The API document does not
 * limit a span. The client allows any length, and a loop requests 30 days at a time.
 */
export type Span = QueryOf<typeof productivity>;

type GroupableEndpoint = ListEndpoint & { readonly groupedReply: z.ZodType };
type Grouped<E extends GroupableEndpoint> = Omit<ListEndpoint, "items" | "reply"> & {
  readonly items: E["items"];
  readonly reply: E["groupedReply"];
};

/** Function that lists rows, whose type depends on `groupBy`. */
interface Groupable<E extends GroupableEndpoint> {
  (query: QueryOf<E> & { groupBy: string }, options?: CallOptions): ListOf<Grouped<E>>;
  (query: QueryOf<E> & { groupBy?: undefined }, options?: CallOptions): ListOf<E>;
  (query: QueryOf<E>, options?: CallOptions): ListOf<E> | ListOf<Grouped<E>>;
}

/**
 * Daily numbers of the organization, from 2026-01-14 to yesterday. Needs the key of a Manager or Owner. A page has its
 * rows in `data` and in `items`, and has `meta`. A page of `users` has a limited number of users; `page()` of the other
 * lists gets the whole span.
 */
export class Analytics extends Resource {
  /** Lists credits and tokens: a row per day, or per model and day with `groupBy: "model"`. */
  readonly tokens: Groupable<typeof tokens> = this.#groupable(tokens);

  /** Lists tool use: a row per day, or per tool and day with `groupBy: "tool_name"`. */
  readonly tools: Groupable<typeof tools> = this.#groupable(tools);

  /** Lists active users: a row per day, or per client type and day with `groupBy: "client"`. */
  readonly activity: Groupable<typeof activity> = this.#groupable(activity);

  /** Lists numbers of files, commits and pull requests: a row per day. */
  productivity(query: Span, options?: CallOptions): ListOf<typeof productivity> {
    return this.transport.list(productivity, query, options);
  }

  /** Lists every user's numbers: a row per user and day, `limit` users per page. A cursor is a user's id. */
  users(query: QueryOf<typeof userMetrics>, options?: CallOptions): ListOf<typeof userMetrics> {
    return this.transport.list(userMetrics, query, options);
  }

  #groupable<E extends GroupableEndpoint>(endpoint: E): Groupable<E> {
    const grouped = { ...endpoint, reply: endpoint.groupedReply };
    const list = (query: QueryOf<E>, options?: CallOptions) =>
      this.transport.list(query?.["groupBy"] === undefined ? endpoint : grouped, query, options);
    return list as Groupable<E>;
  }
}
