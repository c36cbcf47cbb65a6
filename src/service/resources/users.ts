import * as z from "zod";
import { cursor, limit } from "../arguments.ts";
import { type ListEndpoint, type ListOf, type QueryOf, v0Paging } from "../endpoint.ts";
import { openObject } from "../schemas/open.ts";
import { organizationUserSchema } from "../schemas/organization-user.ts";
import { paginationSchema } from "../schemas/pagination.ts";
import type { CallOptions, Transport } from "../transport.ts";

export const listUsers = {
  name: "users.list",
  summary: "Users of the organization.",
  method: "GET",
  base: "baseUrl",
  path: "/api/v0/organization/users",
  query: z.strictObject({ limit, cursor }),
  status: 200,
  reply: openObject({ users: z.array(organizationUserSchema), pagination: paginationSchema }),
  items: "users",
  paging: v0Paging,
} as const satisfies ListEndpoint;

/** The organization's users. The roles it takes are not shown. */
export class Users {
  readonly #transport: Transport;
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All users, `limit` a page. */
  list(query: QueryOf<typeof listUsers> = {}, options?: CallOptions): ListOf<typeof listUsers> {
    return this.#transport.list(listUsers, query, options);
  }
}
