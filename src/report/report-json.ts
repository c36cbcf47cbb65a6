import { computeFigures } from "./figures.ts";
import { describeDisagreement, findDisagreements } from "./gaps.ts";
import type { UsageReport } from "./report.ts";
import { buildSummary } from "./summary.ts";

/** Converts a report to an object for JSON: its data, and the page's figures, summary and differing sums. */
export function toReportJson(report: UsageReport) {
  const figures = computeFigures(report).map(({ id, value, previous, change, basis, gap }) => {
    return { id, value, previous, change, basis, missing: gap };
  });
  const differences = findDisagreements(report).map(({ unit, items, total, itemsTotal, ...sums }) => {
    const text = describeDisagreement({ unit, items, total, itemsTotal, ...sums });
    return { unit, items, total, itemsTotal, text };
  });
  return { ...report, summary: buildSummary(report), figures, differences };
}
