import type * as z from "zod";
import { maxLimit } from "./arguments.ts";
import type { List } from "./list.ts";
import type { PagingRule } from "./paging.ts";

/** One operation of the service's interface, as data. */
export interface Endpoint {
  /** How the client calls it, e.g. `sessions.messages`. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  readonly method: "GET" | "POST" | "PATCH";
  /** Which of the client's addresses it is below. */
  readonly base: "baseUrl" | "appUrl";
  /** With `{name}` where an id stands. */
  readonly path: `/api/${string}`;
  /** Roles the document names; the others' are not shown. */
  readonly roles?: readonly string[];
  /** Query parameters as the caller names them; `groupBy` goes out as `group_by`. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The query has `startDate` and `endDate`, of days that have data. */
  readonly daily?: true;
  /** Status of success. */
  readonly status: 200 | 201 | 202;
  readonly reply: z.ZodType;
}

/** An operation that lists. */
export interface ListEndpoint extends Endpoint {
  readonly method: "GET";
  readonly query: z.ZodObject;
  /** The reply's field that holds the items. */
  readonly items: string;
  /** None where everything comes in one reply. */
  readonly paging?: PagingRule;
}

/** What the caller may or must say. */
export type QueryOf<E extends { readonly query: z.ZodType }> = z.input<E["query"]>;
export type BodyOf<E extends { readonly body: z.ZodType }> = z.input<E["body"]>;
export type ReplyOf<E extends Endpoint> = z.output<E["reply"]>;
export type ItemOf<E extends ListEndpoint> =
  ReplyOf<E> extends { readonly [Key in E["items"]]: readonly (infer Item)[] } ? Item : never;
/** What the client gives back for a list. */
export type ListOf<E extends ListEndpoint> = E extends ListEndpoint ? List<ItemOf<E>, ReplyOf<E>> : never;

/** Paging of all `/api/v0` lists. */
export const v0Paging = {
  parameter: "cursor",
  at: "pagination",
  more: "hasMore",
  next: "nextCursor",
  walkSize: maxLimit,
} as const satisfies PagingRule;
/** Who may ask for analytics. */
export const managers = ["Manager", "Owner"] as const;
