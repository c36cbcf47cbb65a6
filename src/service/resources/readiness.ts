import * as z from "zod";
import { repoId, startAfter } from "../arguments.ts";
import type { CallOptions } from "../call-options.ts";
import type { ListEndpoint, ListOf, QueryOf } from "../endpoint.ts";
import { positiveLimit } from "../paging.ts";
import { readinessReportSchema } from "../schemas/objects.ts";
import { openObject } from "../schemas/open.ts";
import { Resource } from "../transport.ts";

export const readinessReports = {
  name: "readiness.reports",
  summary: "List reports on how ready repositories are for agents.",
  method: "GET",
  base: "appUrl",
  path: "/api/organization/maturity-level-reports",
  query: z.strictObject({ repoId, limit: positiveLimit, startAfter }),
  status: 200,
  reply: openObject({ reports: z.array(readinessReportSchema) }),
  items: "reports",
  paging: { parameter: "startAfter", key: "reportId" },
} as const satisfies ListEndpoint;

/**
 * Readiness of repositories for agents. The API document names neither the roles needed nor the default and maximum of
 * `limit`.
 */
export class Readiness extends Resource {
  /** Lists the reports of one repository or of all. `startAfter` is the id of a report; the page starts after it. */
  reports(query: QueryOf<typeof readinessReports> = {}, options?: CallOptions): ListOf<typeof readinessReports> {
    return this.transport.list(readinessReports, query, options);
  }
}
