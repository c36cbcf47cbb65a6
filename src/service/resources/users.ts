import * as z from "zod";
import type { CallOptions } from "../call-options.ts";
import { type ListEndpoint, type ListOf, type QueryOf, v0List } from "../endpoint.ts";
import { anyObject, formatted, openObject } from "../open-schema.ts";
import { Resource } from "../transport.ts";

/**
 * User of the organization. Only the id is required, and times may be any text: the API document gives neither the
 * required fields nor the format of `createdAt` and `lastSignInAt`.
 */
export const organizationUserSchema = openObject({
  id: z.string(),
  email: formatted("email").optional(),
  createdAt: z.string().optional(),
  metadata: anyObject.optional(),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  lastSignInAt: z.string().optional(),
});

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

export type OrganizationUser = z.output<typeof organizationUserSchema>;
