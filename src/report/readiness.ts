import { groupBy } from "../core/group-by.ts";
import type { CallOptions } from "../service/call-options.ts";
import type { Client } from "../service/client.ts";
import type { ReadinessReport } from "../service/schemas/objects.ts";
import type { Fetched } from "./coverage.ts";
import { shownName } from "./ranking.ts";
import { fetchList } from "./requests.ts";
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

/** Criterion that repositories fail, in their latest evaluations. */
interface FailedCriterion extends OpenCriterion {
  /** Number of repositories that do not fully pass; `of` is the number of repositories in which it was evaluated. */
  readonly failing: number;
  readonly of: number;
}

/** Readiness of the organization's repositories for agents, least ready first; those without criteria are last. */
export interface ReadinessSummary {
  /** Number of repositories with a report. */
  readonly count: number;
  /** Number of checks passed in all repositories; `all` is the number of checks. */
  readonly passed: number;
  readonly all: number;
  readonly repositories: readonly RepositoryReadiness[];
  /** At most ten criteria that the most repositories fail, most first. */
  readonly criteria: readonly FailedCriterion[];
}

/** Maximum number of repositories in a report. */
const maxRepositories = 50;

/** Maximum number of worst criteria per repository. */
const maxWorst = 3;

/** Maximum number of criteria over all repositories. */
const maxCriteria = 10;

/** Criteria of a report, with the repository as shown. */
interface TrimmedReport {
  readonly repository: string;
  readonly createdAt: number;
  readonly criteria: readonly OpenCriterion[];
}

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
  const latest = groupBy(newest, ({ repository }) => repository.toLowerCase());
  const current = [...latest.values()].flatMap(([now]) => now ?? []);
  const repositories = [...latest.values()].flatMap(([now, before]): RepositoryReadiness[] => {
    if (now === undefined) return [];
    const { repository, createdAt, criteria } = now;
    const counts = countChecks(criteria);
    const [share, past] = [computeShare(counts), before && computeShare(countChecks(before.criteria))];
    const change = share !== undefined && past !== undefined && { change: share - past };
    const worst = criteria
      .filter(({ passed, all }) => passed < all)
      .toSorted(compareShares)
      .slice(0, maxWorst);
    return [{ repository, evaluatedAt: formatInstant(createdAt), ...counts, ...change, worst }];
  });
  repositories.sort((a, b) => compareShares({ ...a, name: a.repository }, { ...b, name: b.repository }));
  return {
    count: repositories.length,
    ...countChecks(current.flatMap(({ criteria }) => criteria)),
    repositories: repositories.slice(0, maxRepositories),
    criteria: rankCriteria(current),
  };
}

function countChecks(criteria: readonly OpenCriterion[]) {
  return { passed: sum(criteria.map(({ passed }) => passed)), all: sum(criteria.map(({ all }) => all)) };
}

/** Ranks the criteria by the number of repositories that fail them. */
function rankCriteria(reports: readonly TrimmedReport[]): FailedCriterion[] {
  const byName = groupBy(
    reports.flatMap(({ criteria }) => criteria),
    ({ name }) => name,
  );
  const ranked = [...byName].map(([name, criteria]) => {
    const failing = criteria.filter(({ passed, all }) => passed < all).length;
    return { name, failing, of: criteria.length, ...countChecks(criteria) };
  });
  const failed = ranked.filter(({ failing }) => failing > 0);
  return failed.sort((a, b) => b.failing - a.failing || compareShares(a, b)).slice(0, maxCriteria);
}

/** Computes the share of checks passed, from 0 to 1; undefined without checks, because no data is no share. */
export function computeShare({ passed, all }: Pick<OpenCriterion, "passed" | "all">): number | undefined {
  return all === 0 ? undefined : passed / all;
}

/** Orders the lowest share first, then by name. Items without a share are last. */
function compareShares(a: OpenCriterion, b: OpenCriterion): number {
  return (computeShare(a) ?? 2) - (computeShare(b) ?? 2) || (a.name < b.name ? -1 : 1);
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
  return { repository: shownName(nameRepository(repoUrl)), createdAt, criteria };
}

/**
 * Names a repository by host and path, the same for each spelling of its address: `https://user:token@host/path.git`,
 * `ssh://git@host/path` and `git@host:path`.
 */
export function nameRepository(address: string): string {
  const [, host = "", path = ""] = /^(?:[^@/]*@)?([^:/@]+):(?!\/\/)(.*)$/.exec(address) ?? [];
  const plain = host === "" ? address.replace(/^[a-z+]+:\/\/(?:[^@/]*@)?/i, "") : `${host}/${path}`;
  return plain.replace(/\/+$/, "").replace(/\.git$/i, "");
}
