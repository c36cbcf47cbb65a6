import * as z from "zod";
import { openEnum, openObject, unixMs } from "./open.ts";

export const reasoningEfforts = ["low", "medium", "high", "off"] as const;
export const reasoningEffortSchema = openEnum(reasoningEfforts);

/** Evaluation of a criterion: `numerator` of the `denominator` (1 or more) sub-applications pass. */
export const criterionEvaluationSchema = openObject({
  numerator: z.number(),
  denominator: z.number(),
  rationale: z.string(),
});
export type CriterionEvaluation = z.output<typeof criterionEvaluationSchema>;

/**
 * One evaluation of a repository. `apps` is keyed by path, `report` by criterion id; `createdAt` is Unix milliseconds.
 */
export const readinessReportSchema = openObject({
  reportId: z.string(),
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
export type ReadinessReport = z.output<typeof readinessReportSchema>;
