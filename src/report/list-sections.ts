import { counted, numberText } from "./format.ts";
import { formatShortGap } from "./gaps.ts";
import { computeShare } from "./readiness.ts";
import type { UsageReport } from "./report.ts";
import { creditCells, creditColumns, missingSection, type Section } from "./section.ts";

/** Builds the table of the costliest sessions. */
export function sessionsSection(report: UsageReport): Section | undefined {
  const { sessions } = report;
  const head = { id: "costly-sessions", title: "Costliest sessions" };
  if (sessions === undefined) return missingSection(report, "sessions", head);
  const texts = [
    sessions.sessions === 0
      ? "No session was started in the period."
      : `Of ${counted(sessions.sessions, "sessions")} started in the period, with their child sessions.`,
    sessions.withoutCredits > 0 && `The service gives no credits for ${numberText(sessions.withoutCredits)} of them.`,
    sessions.undated > 0 &&
      `${counted(sessions.undated, "sessions")} without a start ${sessions.undated === 1 ? "is" : "are"} left out.`,
  ];
  return {
    ...head,
    about: texts.filter(Boolean).join(" "),
    gap: formatShortGap(report, ["sessions"]),
    columns: [
      { id: "session", title: "Session", kind: "name" },
      ...creditColumns(report),
      { id: "started", title: "Started", kind: "day" },
      { id: "model", title: "Model", kind: "word" },
      { id: "computer", title: "Computer", kind: "word" },
      { id: "tags", title: "Tags", kind: "word" },
    ],
    rows: sessions.top.map(({ title, credits, day, model, computer, tags }) => [
      ...[title, ...creditCells(report, credits), day, model, computer],
      tags.join(", "),
    ]),
  };
}

/** Builds the table of credits by session tag. */
export function tagsSection(report: UsageReport): Section | undefined {
  const { sessions } = report;
  if (sessions === undefined || sessions.byTag.top.length === 0) return undefined;
  return {
    id: "tags",
    title: "Credits by session tag",
    about: "Without child sessions. A session with several tags counts for each.",
    gap: formatShortGap(report, ["sessions"]),
    columns: [{ id: "tag", title: "Tag", kind: "name" }, ...creditColumns(report)],
    rows: sessions.byTag.top.map(({ name, count }) => [name, ...creditCells(report, count)]),
  };
}

/** Builds the table of repositories' readiness. */
export function readinessSection(report: UsageReport): Section | undefined {
  const { readiness } = report;
  const head = { id: "readiness", title: "Readiness of repositories" };
  if (readiness === undefined) return missingSection(report, "readiness", head);
  const { count, passed, all, repositories } = readiness;
  const listed = count > repositories.length ? ` The ${numberText(repositories.length)} least ready are listed.` : "";
  return {
    ...head,
    about:
      count === 0
        ? "No repository was evaluated."
        : `Latest evaluation of ${count === 1 ? "1 repository" : `${numberText(count)} repositories`}, least ready first, compared with the one before.${listed} Together they pass ${numberText(passed)} of ${counted(all, "checks")}.`,
    gap: formatShortGap(report, ["readiness"]),
    columns: [
      { id: "repository", title: "Repository", kind: "name" },
      { id: "passed", title: "Checks passed", kind: "count" },
      { id: "checks", title: "Of", kind: "count" },
      { id: "share", title: "Share", kind: "share" },
      { id: "trend", title: "Trend", kind: "points" },
      { id: "evaluated", title: "Evaluated", kind: "day" },
      { id: "worst", title: "Worst criteria", kind: "word" },
    ],
    rows: repositories.map((repository) => [
      ...[
        repository.repository,
        ...(repository.all === 0 ? [undefined, undefined] : [repository.passed, repository.all]),
      ],
      ...[computeShare(repository), repository.change],
      repository.evaluatedAt.slice(0, 10),
      repository.worst.map(({ name, passed, all }) => `${name} ${passed}/${all}`).join(", "),
    ]),
  };
}

/** Builds the table of idle seats, those not used for longest first. */
export function idleSeatsSection({ seats, coverage, ...report }: UsageReport): Section | undefined {
  if (seats === undefined || seats.idleSeats.length === 0) return undefined;
  const rows = seats.idleSeats.toSorted((a, b) => (a.lastSignIn < b.lastSignIn ? -1 : 1));
  const most = coverage.seats?.unmatched === undefined ? "" : " Some of them may be active.";
  return {
    id: "idle-seats",
    title: "Idle seats",
    about: `Current users who were not active on the days with data; the earliest sign-in first.${most}`,
    gap: formatShortGap({ ...report, coverage }, ["people", "seats"]),
    columns: [
      { id: "user", title: "User", kind: "name" },
      { id: "last_sign_in", title: "Last sign-in", kind: "word" },
    ],
    rows: rows.map(({ name, lastSignIn }) => [name, lastSignIn]),
  };
}

/** Builds the table of the criteria that repositories fail most often. */
export function criteriaSection(report: UsageReport): Section | undefined {
  const { readiness } = report;
  if (readiness === undefined || readiness.criteria.length === 0) return undefined;
  return {
    id: "criteria",
    title: "Criteria that fail most often",
    about: "In the latest evaluation of each repository.",
    gap: formatShortGap(report, ["readiness"]),
    columns: [
      { id: "criterion", title: "Criterion", kind: "name" },
      { id: "failing", title: "Repositories that fail", kind: "count" },
      { id: "of", title: "Of", kind: "count" },
      { id: "share", title: "Checks passed", kind: "share" },
    ],
    rows: readiness.criteria.map((criterion) => [
      ...[criterion.name, criterion.failing, criterion.of, computeShare(criterion)],
    ]),
  };
}

/** Builds the table of changes of settings. */
export function controlsSection(report: UsageReport): Section | undefined {
  const { controls } = report;
  const head = { id: "settings", title: "Changes of settings" };
  if (controls === undefined) return missingSection(report, "controls", head);
  const { changes } = controls;
  const isNamed = changes.some((change) => change.changes !== undefined);
  return {
    ...head,
    about: changes.length === 0 ? "None in this period." : "Numbered as in the plots over days.",
    gap: formatShortGap(report, ["controls"]),
    columns: [
      { id: "number", title: "No.", kind: "name" },
      { id: "day", title: "Day", kind: "day" },
      { id: "settings", title: "Changed settings", kind: "word" },
      ...(isNamed ? [{ id: "changes", title: "Old → new", kind: "word" } as const] : []),
      { id: "by", title: "By", kind: "word" },
      { id: "revision", title: "Revision", kind: "count" },
    ],
    rows: changes.map(({ day, settings, changes: values = [], by, revision }, index) => {
      const names = settings === undefined ? "unknown: first revision in the history" : settings.join(", ");
      return [String(index + 1), day, names, ...(isNamed ? [values.join("; ")] : []), by, revision];
    }),
  };
}
