import {
  controlsSection,
  criteriaSection,
  idleSeatsSection,
  readinessSection,
  sessionsSection,
  tagsSection,
} from "./list-sections.ts";
import type { UsageReport } from "./report.ts";
import type { Section } from "./section.ts";
import { budgetSection, modelsSection, movementSection, teamsSection } from "./usage-sections.ts";

/**
 * Builds the report's tables in reading order. A table without data is included only if it explains why data is
 * missing.
 */
export function buildSections(report: UsageReport): Section[] {
  const sections = [
    budgetSection(report),
    modelsSection(report),
    teamsSection(report),
    idleSeatsSection(report),
    movementSection(report),
    sessionsSection(report),
    tagsSection(report),
    readinessSection(report),
    criteriaSection(report),
    controlsSection(report),
  ];
  return sections.filter((section) => section !== undefined);
}
