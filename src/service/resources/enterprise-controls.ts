import type { CallOptions } from "../call-options.ts";
import { type ListEndpoint, type ListOf, type QueryOf, v0List } from "../endpoint.ts";
import { controlChangeSchema } from "../schemas/objects.ts";
import { Resource } from "../transport.ts";

export const controlHistory = {
  ...v0List("changes", controlChangeSchema, {}),
  name: "enterpriseControls.history",
  summary: "List changes to the organization-wide settings, newest first.",
  path: "/api/v0/organization/enterprise-controls/history",
} as const satisfies ListEndpoint;

/** History of the organization-wide settings. The API document does not name the roles needed. */
export class EnterpriseControls extends Resource {
  /** Lists all changes, the highest `revision` first. */
  history(query: QueryOf<typeof controlHistory> = {}, options?: CallOptions): ListOf<typeof controlHistory> {
    return this.transport.list(controlHistory, query, options);
  }
}
