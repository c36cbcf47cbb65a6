import * as z from "zod";
import { cursor, limit } from "../arguments.ts";
import { type ListEndpoint, type ListOf, type QueryOf, v0Paging } from "../endpoint.ts";
import { controlChangeSchema } from "../schemas/control-change.ts";
import { openObject } from "../schemas/open.ts";
import { paginationSchema } from "../schemas/pagination.ts";
import type { CallOptions, Transport } from "../transport.ts";

export const controlHistory = {
  name: "enterpriseControls.history",
  summary: "Changes of the organization-wide settings, newest first.",
  method: "GET",
  base: "baseUrl",
  path: "/api/v0/organization/enterprise-controls/history",
  query: z.strictObject({ limit, cursor }),
  status: 200,
  reply: openObject({ changes: z.array(controlChangeSchema), pagination: paginationSchema }),
  items: "changes",
  paging: v0Paging,
} as const satisfies ListEndpoint;

/** Who changed the organization-wide settings, and to what. The roles it takes are not shown. */
export class EnterpriseControls {
  readonly #transport: Transport;
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Changes, by descending `revision`. */
  history(query: QueryOf<typeof controlHistory> = {}, options?: CallOptions): ListOf<typeof controlHistory> {
    return this.#transport.list(controlHistory, query, options);
  }
}
