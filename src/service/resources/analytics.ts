import type { ListOf, QueryOf } from "../endpoint.ts";
import type { CallOptions, Transport } from "../transport.ts";
import {
  activity,
  activityByClient,
  productivity,
  tokens,
  tokensByModel,
  tools,
  toolsByTool,
  userMetrics,
} from "./analytics-endpoints.ts";

/**
 * Days, both included, UTC: `YYYY-MM-DD`, or a Date, of which the UTC day is taken. The longest span is not shown: none
 * is refused for its length.
 */
export type Span = QueryOf<typeof productivity>;

/**
 * Daily numbers of the organization, for keys of Managers and Owners. Days go from 2026-01-14 to yesterday. A page has
 * `data` (also as `items`) and `meta`; only `users` has more than one.
 */
export class Analytics {
  readonly #transport: Transport;
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Credits and tokens: a row a day, or with `groupBy: "model"` a row per model and day. */
  tokens(query: Span & { groupBy: "model" }, options?: CallOptions): ListOf<typeof tokensByModel>;
  tokens(query: Span & { groupBy?: undefined }, options?: CallOptions): ListOf<typeof tokens>;
  tokens(query: QueryOf<typeof tokens>, options?: CallOptions): ListOf<typeof tokens> | ListOf<typeof tokensByModel>;
  tokens(query: QueryOf<typeof tokens>, options?: CallOptions) {
    return this.#transport.list(query?.groupBy === undefined ? tokens : tokensByModel, query, options);
  }

  /** Use of tools: a row a day, or with `groupBy: "tool_name"` a row per tool and day. */
  tools(query: Span & { groupBy: "tool_name" }, options?: CallOptions): ListOf<typeof toolsByTool>;
  tools(query: Span & { groupBy?: undefined }, options?: CallOptions): ListOf<typeof tools>;
  tools(query: QueryOf<typeof tools>, options?: CallOptions): ListOf<typeof tools> | ListOf<typeof toolsByTool>;
  tools(query: QueryOf<typeof tools>, options?: CallOptions) {
    return this.#transport.list(query?.groupBy === undefined ? tools : toolsByTool, query, options);
  }

  /** Active users: a row a day, or with `groupBy: "client"` a row per client type and day. */
  activity(query: Span & { groupBy: "client" }, options?: CallOptions): ListOf<typeof activityByClient>;
  activity(query: Span & { groupBy?: undefined }, options?: CallOptions): ListOf<typeof activity>;
  activity(
    query: QueryOf<typeof activity>,
    options?: CallOptions,
  ): ListOf<typeof activity> | ListOf<typeof activityByClient>;
  activity(query: QueryOf<typeof activity>, options?: CallOptions) {
    return this.#transport.list(query?.groupBy === undefined ? activity : activityByClient, query, options);
  }

  /** Files, commits and pull requests: a row a day. */
  productivity(query: Span, options?: CallOptions): ListOf<typeof productivity> {
    return this.#transport.list(productivity, query, options);
  }

  /** Every user's numbers, `limit` a page. A cursor is a user's id. */
  users(query: QueryOf<typeof userMetrics>, options?: CallOptions): ListOf<typeof userMetrics> {
    return this.#transport.list(userMetrics, query, options);
  }
}
