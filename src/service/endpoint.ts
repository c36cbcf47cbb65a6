import * as z from "zod";
import { cursor } from "./arguments.ts";
import type { List } from "./list.ts";
import type { PagingRule } from "./paging.ts";
import { limit, maxLimit } from "./paging.ts";
import { paginationSchema } from "./schemas/objects.ts";
import { openObject } from "./schemas/open.ts";

/** One operation of the service's API, as data. */
export interface Endpoint {
  /** Resource and method of the client, such as `sessions.messages`. */
  readonly name: string;
  /** Summary in one sentence. */
  readonly summary: string;
  readonly method: "GET" | "POST" | "PATCH";
  /** Base address of the path. */
  readonly base: "baseUrl" | "appUrl";
  /** Path with `{name}` for each id. */
  readonly path: `/api/${string}`;
  /** Roles whose keys are accepted, if documented. */
  readonly roles?: readonly string[];
  /** Query parameters in the caller's spelling; `groupBy` is sent as `group_by`. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** True if the query has the parameters `startDate` and `endDate`, which must be days with data. */
  readonly daily?: true;
  /** HTTP status of a successful reply. */
  readonly status: 200 | 201 | 202;
  readonly reply: z.ZodType;
  /** Schema of the reply to a query with `groupBy`, if it differs. */
  readonly groupedReply?: z.ZodType;
  /** Name of the reply's field that has the items of a list. */
  readonly items?: string;
  /** Rule for finding the next page of a list. */
  readonly paging?: PagingRule;
}

/** An operation that returns a list. */
export interface ListEndpoint extends Endpoint {
  readonly method: "GET";
  readonly query: z.ZodObject;
  readonly items: string;
  readonly paging: PagingRule;
}

/** Query as the caller writes it. */
export type QueryOf<E extends { readonly query: z.ZodType }> = z.input<E["query"]>;
/** Body as the caller writes it. */
export type BodyOf<E extends { readonly body: z.ZodType }> = z.input<E["body"]>;
export type ReplyOf<E extends Endpoint> = z.output<E["reply"]>;
export type ItemOf<E extends ListEndpoint> =
  ReplyOf<E> extends { readonly [Key in E["items"]]: readonly (infer Item)[] } ? Item : never;
/** List returned by the client. */
export type ListOf<E extends ListEndpoint> = E extends ListEndpoint ? List<ItemOf<E>, ReplyOf<E>> : never;

/**
 * Builds the common parts of an endpoint that lists items below `/api/v0`.
 * @param items field of the reply with the items
 */
export function v0List<const Items extends string, Item extends z.ZodType, Filters extends z.core.$ZodShape>(
  items: Items,
  item: Item,
  filters: Filters,
) {
  const reply = { [items]: z.array(item), pagination: paginationSchema };
  return {
    method: "GET",
    base: "baseUrl",
    query: z.strictObject({ limit, cursor, ...filters }),
    status: 200,
    reply: openObject(reply as Record<Items, z.ZodArray<Item>> & { readonly pagination: typeof paginationSchema }),
    items,
    paging: { parameter: "cursor", at: "pagination", more: "hasMore", next: "nextCursor", walkSize: maxLimit },
  } as const;
}

/** Tells if an operation accepts a JWT instead of an API key; only `/api/v0` does. */
export function takesJwt({ path }: Pick<Endpoint, "path">): boolean {
  return path.startsWith("/api/v0/");
}

/** Roles whose keys may read analytics. */
export const managers = ["Manager", "Owner"] as const;
