import type { CallOptions } from "../call-options.ts";
import { type ListEndpoint, type ListOf, type QueryOf, v0List } from "../endpoint.ts";
import { organizationUserSchema } from "../schemas/objects.ts";
import { Resource } from "../transport.ts";

export const listUsers = {
  ...v0List("users", organizationUserSchema, {}),
  name: "users.list",
  summary: "List the users of the organization.",
  path: "/api/v0/organization/users",
} as const satisfies ListEndpoint;

/** Users of the organization. The API document does not name the roles needed. */
export class Users extends Resource {
  /** Lists all users, `limit` users per page. */
  list(query: QueryOf<typeof listUsers> = {}, options?: CallOptions): ListOf<typeof listUsers> {
    return this.transport.list(listUsers, query, options);
  }
}
