import type { Client } from "../service/client.ts";
import type { ReadinessReport } from "../service/schemas/readiness-report.ts";
import type { CallOptions } from "../service/transport.ts";
import type { Fetched } from "./coverage.ts";
import { fetchList } from "./lists.ts";
import { shownName } from "./ranking.ts";
import { sum } from "./series.ts";

/** Criterion that a repository does not fully pass. */
interface OpenCriterion {
  readonly name: string;
  /** Number of sub-applications that pass; `all` is the number of evaluated sub-applications. */
  readonly passed: number;
  readonly all: number;
}

/** Latest evaluation of a repository. */
interface RepositoryReadiness {
  readonly repository: string;
  /** Time of the evaluation, ISO 8601. */
  readonly evaluatedAt: string;
  /** Number of checks passed; `all` is the number of checks. Each criterion is checked in each sub-application. */
  readonly passed: number;
  readonly all: number;
  /** Share of checks passed minus that share in the previous evaluation; absent without a previous evaluation. */
  readonly change?: number;
  /** At most three criteria with the lowest shares of passing sub-applications, lowest first. */
  readonly worst: readonly OpenCriterion[];
}

/** Readiness of the organization's repositories for agents, least ready first. */
export interface ReadinessSummary {
  /** Number of repositories with a report. */
  readonly count: number;
  readonly repositories: readonly RepositoryReadiness[];
}

/** Maximum number of repositories in a report. */
const maxRepositories = 50;

/** Maximum number of worst criteria per repository. */
const maxWorst = 3;

type TrimmedReport = Omit<RepositoryReadiness, "change" | "evaluatedAt"> & { readonly createdAt: number };

/** Requests all readiness reports. @throws {ServiceError} */
export async function fetchReadiness(
  { readiness }: Pick<Client, "readiness">,
  call: CallOptions,
): Promise<Fetched<ReadinessSummary>> {
  const { rows, coverage } = await fetchList(
    { list: (options) => readiness.reports({}, options), key: ({ reportId }) => reportId, trim: trimReport },
    call,
  );
  return { content: summarizeReadiness(rows), coverage };
}

/** Takes the latest report of each repository, and compares it with the repository's previous report. */
export function summarizeReadiness(reports: readonly TrimmedReport[]): ReadinessSummary {
  const newest = reports.toSorted((a, b) => b.createdAt - a.createdAt);
  const latest = new Map<string, TrimmedReport[]>();
  for (const report of newest) latest.set(report.repository, [...(latest.get(report.repository) ?? []), report]);
  const repositories = [...latest.values()].flatMap(([now, before]): RepositoryReadiness[] => {
    if (now === undefined) return [];
    const { repository, createdAt, passed, all, worst } = now;
    const change = before && { change: computeShare(now) - computeShare(before) };
    return [{ repository, evaluatedAt: formatInstant(createdAt), passed, all, ...change, worst }];
  });
  repositories.sort((a, b) => computeShare(a) - computeShare(b) || (a.repository < b.repository ? -1 : 1));
  return { count: repositories.length, repositories: repositories.slice(0, maxRepositories) };
}

/** Computes the share of checks passed, from 0 to 1; 0 without checks. */
export function computeShare({ passed, all }: Pick<RepositoryReadiness, "passed" | "all">): number {
  return all === 0 ? 0 : passed / all;
}

/** Formats Unix milliseconds as ISO 8601; empty if out of range. */
function formatInstant(ms: number): string {
  const instant = new Date(ms);
  return Number.isNaN(instant.getTime()) ? "" : instant.toISOString();
}

function trimReport({ repoUrl, createdAt, report }: ReadinessReport): TrimmedReport {
  const criteria = Object.entries(report).map(([name, { numerator, denominator }]) => {
    return { name: shownName(name), passed: numerator, all: denominator };
  });
  const open = criteria.filter(({ passed, all }) => passed < all);
  open.sort((a, b) => computeShare(a) - computeShare(b) || (a.name < b.name ? -1 : 1));
  return {
    repository: shownName(withoutCredentials(repoUrl)),
    createdAt,
    passed: sum(criteria.map(({ passed }) => passed)),
    all: sum(criteria.map(({ all }) => all)),
    worst: open.slice(0, maxWorst),
  };
}

/** Removes the scheme, user name, token and ending `.git` from a repository's address. */
function withoutCredentials(address: string): string {
  return address.replace(/^[a-z+]+:\/\/(?:[^@/]*@)?/i, "").replace(/\.git$/, "");
}
