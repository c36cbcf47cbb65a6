import * as z from "zod";
import { positiveLimit, repoId, startAfter } from "../arguments.ts";
import type { CallOptions } from "../call-options.ts";
import type { ListEndpoint, ListOf, QueryOf } from "../endpoint.ts";
import { formatted, openEnum, openObject, unixMs } from "../open-schema.ts";
import { Resource } from "../transport.ts";

/** Evaluation of a criterion: `numerator` of the `denominator` (1 or more) sub-applications pass. */
export const criterionEvaluationSchema = openObject({
  numerator: z.number().meta({ minimum: 0 }),
  denominator: z.number().meta({ minimum: 1 }),
  rationale: z.string(),
});

export const reasoningEfforts = ["low", "medium", "high", "off"] as const;
export const reasoningEffortSchema = openEnum(reasoningEfforts);

/**
 * One evaluation of a repository. `apps` is keyed by path, `report` by criterion id; `createdAt` is Unix milliseconds.
 */
export const readinessReportSchema = openObject({
  reportId: formatted("uuid"),
  createdAt: unixMs,
  repoUrl: z.string(),
  apps: z.record(z.string(), openObject({ description: z.string() })),
  report: z.record(z.string(), criterionEvaluationSchema),
  commitHash: z.string().optional(),
  branch: z.string().optional(),
  hasLocalChanges: z.boolean().optional(),
  hasNonRemoteCommits: z.boolean().optional(),
  modelUsed: openObject({ id: z.string(), reasoningEffort: reasoningEffortSchema }).optional(),
  agentVersion: z.string().optional(),
});

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

export type CriterionEvaluation = z.output<typeof criterionEvaluationSchema>;

export type ReadinessReport = z.output<typeof readinessReportSchema>;
