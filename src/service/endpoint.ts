import * as z from "zod";
import { cursor, limit, maxLimit } from "./arguments.ts";
import type { List } from "./list.ts";
import type { PagingRule } from "./paging.ts";
import { openObject } from "./schemas/open.ts";
import { paginationSchema } from "./schemas/pagination.ts";

/** One operation of the service's API, as data. */
export interface Endpoint {
  /** Resource and method of the client, e.g. `sessions.messages`. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  readonly method: "GET" | "POST" | "PATCH";
  /** Which of the client's addresses the path belongs to. */
  readonly base: "baseUrl" | "appUrl";
  /** With `{name}` in place of each id. */
  readonly path: `/api/${string}`;
  /** Roles whose keys are accepted, where the API document names them. */
  readonly roles?: readonly string[];
  /** Query parameters as the caller names them; `groupBy` goes out as `group_by`. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The query has a `startDate` and an `endDate`, which must be days with data. */
  readonly daily?: true;
  /** Status of success. */
  readonly status: 200 | 201 | 202;
  readonly reply: z.ZodType;
  /** The reply to a query with `groupBy`, where it differs. */
  readonly groupedReply?: z.ZodType;
  /** The reply's field that holds the items, where it is a list. */
  readonly items?: string;
  /** How a list is requested in parts. */
  readonly paging?: PagingRule;
}

/** An operation that returns a list. */
export interface ListEndpoint extends Endpoint {
  readonly method: "GET";
  readonly query: z.ZodObject;
  readonly items: string;
  readonly paging: PagingRule;
}

/** The query as the caller writes it. */
export type QueryOf<E extends { readonly query: z.ZodType }> = z.input<E["query"]>;
/** The body as the caller writes it. */
export type BodyOf<E extends { readonly body: z.ZodType }> = z.input<E["body"]>;
export type ReplyOf<E extends Endpoint> = z.output<E["reply"]>;
export type ItemOf<E extends ListEndpoint> =
  ReplyOf<E> extends { readonly [Key in E["items"]]: readonly (infer Item)[] } ? Item : never;
/** What the client returns for a list. */
export type ListOf<E extends ListEndpoint> = E extends ListEndpoint ? List<ItemOf<E>, ReplyOf<E>> : never;

/**
 * What a `/api/v0` list is made of, but for its name, summary and path: the field and schema of its items, its filters.
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

/** Whether an operation accepts a JWT in place of an API key; only those of `/api/v0` do. */
export function takesJwt({ path }: Pick<Endpoint, "path">): boolean {
  return path.startsWith("/api/v0/");
}

/** Roles whose keys may read analytics. */
export const managers = ["Manager", "Owner"] as const;
