import * as z from "zod";
import { cursor, limit } from "../arguments.ts";
import { type ListEndpoint, type ListOf, type QueryOf, v0List } from "../endpoint.ts";
import { controlChangeSchema } from "../schemas/control-change.ts";
import { openObject } from "../schemas/open.ts";
import { paginationSchema } from "../schemas/pagination.ts";
import type { CallOptions } from "../transport.ts";
import { Resource } from "./resource.ts";

export const controlHistory = {
  ...v0List,
  name: "enterpriseControls.history",
  summary: "Changes of the organization-wide settings, newest first.",
  path: "/api/v0/organization/enterprise-controls/history",
  query: z.strictObject({ limit, cursor }),
  reply: openObject({ changes: z.array(controlChangeSchema), pagination: paginationSchema }),
  items: "changes",
} as const satisfies ListEndpoint;

/** Who changed the organization-wide settings, and to what. The API document does not name the roles needed. */
export class EnterpriseControls extends Resource {
  /** All changes, by descending `revision`. */
  history(query: QueryOf<typeof controlHistory> = {}, options?: CallOptions): ListOf<typeof controlHistory> {
    return this.transport.list(controlHistory, query, options);
  }
}
