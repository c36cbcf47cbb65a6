import * as z from "zod";
import { cursor, limit } from "../arguments.ts";
import { type ListEndpoint, type ListOf, type QueryOf, v0List } from "../endpoint.ts";
import { openObject } from "../schemas/open.ts";
import { organizationUserSchema } from "../schemas/organization-user.ts";
import { paginationSchema } from "../schemas/pagination.ts";
import type { CallOptions } from "../transport.ts";
import { Resource } from "./resource.ts";

export const listUsers = {
  ...v0List,
  name: "users.list",
  summary: "Users of the organization.",
  path: "/api/v0/organization/users",
  query: z.strictObject({ limit, cursor }),
  reply: openObject({ users: z.array(organizationUserSchema), pagination: paginationSchema }),
  items: "users",
} as const satisfies ListEndpoint;

/** The organization's users. The API document does not name the roles needed. */
export class Users extends Resource {
  /** All users, `limit` a page. */
  list(query: QueryOf<typeof listUsers> = {}, options?: CallOptions): ListOf<typeof listUsers> {
    return this.transport.list(listUsers, query, options);
  }
}
