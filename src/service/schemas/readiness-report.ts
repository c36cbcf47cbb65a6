import * as z from "zod";
import { formatted, openEnum, openObject, unixMs } from "./open.ts";

export const reasoningEfforts = ["low", "medium", "high", "off"] as const;
export const reasoningEffortSchema = openEnum(reasoningEfforts);

/** Evaluation of a criterion: `numerator` of the `denominator` (1 or more) sub-applications pass. */
export const criterionEvaluationSchema = openObject({
  numerator: z.number().meta({ minimum: 0 }),
  denominator: z.number().meta({ minimum: 1 }),
  rationale: z.string(),
});
export type CriterionEvaluation = z.output<typeof criterionEvaluationSchema>;

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
export type ReadinessReport = z.output<typeof readinessReportSchema>;
