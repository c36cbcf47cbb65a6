import type { Budget } from "./budget.ts";
import { countText, dayText, numberText, periodText, shareText } from "./format.ts";
import { formatShortGap } from "./gaps.ts";
import type { Movement } from "./movement.ts";
import { computeShare } from "./readiness.ts";
import type { UsageReport } from "./report.ts";
import { creditCells, creditColumns, missingSection, type Section, type SectionCell } from "./section.ts";
import { countDays } from "./series.ts";
import type { Teams } from "./teams.ts";

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

/** Builds the table of the month's budget. */
function budgetSection(report: UsageReport): Section | undefined {
  const { budget, period } = report;
  const head = { id: "budget", title: "Budget of the month" };
  if (budget === undefined) return missingSection(report, "budget", head);
  const { used, forecast, month, budget: plan } = budget;
  const row = (label: string, credits: number): SectionCell[] => [
    label,
    ...creditCells(report, credits),
    credits / plan,
  ];
  return {
    ...head,
    about: describeBudget(budget),
    gap: budget.absentDays > 0 ? `${countText(budget.absentDays, "days")} of the month absent` : "",
    columns: [
      { id: "amount", title: "Amount", kind: "name" },
      ...creditColumns(report),
      { id: "share_of_budget", title: "Of the budget", kind: "share" },
    ],
    rows: [
      row("Budget", plan),
      row(`Used until ${dayText(period.endDate)}`, used),
      row(`Forecast for ${dayText(month.endDate)}`, forecast),
    ],
    meter: {
      used: used / plan,
      forecast: forecast / plan,
      label: `${shareText(used, plan)} of the budget used, ${shareText(forecast, plan)} forecast`,
    },
  };
}

function describeBudget({ month, budget, used, forecast, daily, dailyDays, usedUpOn, absentDays }: Budget): string {
  const word = forecast > budget ? "over" : "under";
  const difference = `${shareText(Math.abs(forecast - budget), budget)} ${word} the budget`;
  const texts = [
    `At the mean of the last ${countText(dailyDays, "days")} with data, ${numberText(Math.round(daily))} credits a day, the month ends ${difference}.`,
    usedUpOn && used < budget && `The budget would last until ${dayText(usedUpOn)}.`,
    usedUpOn && used >= budget && `The budget was used up on ${dayText(usedUpOn)}.`,
    absentDays > 0 && `The forecast counts ${countText(absentDays, "absent days")} at that mean.`,
    `The month is ${periodText(month)}.`,
  ];
  return texts.filter(Boolean).join(" ");
}

/** Maximum number of models in the table. */
const maxModels = 15;

/** Builds the table of models, with the change of their credits a day. */
function modelsSection(report: UsageReport): Section | undefined {
  const { credits, previous } = report;
  if (credits === undefined || credits.total === 0) return undefined;
  const { top } = credits.byModel;
  const before = previous?.credits && new Map(previous.credits.byModel.top.map(({ name, count }) => [name, count]));
  const gone = [...(before?.keys() ?? [])].filter((name) => top.every((model) => model.name !== name));
  const models = [...top, ...gone.map((name) => ({ name, count: 0 }))];
  const days = countDays(credits.byDay);
  const daysBefore = previous?.credits ? countDays(previous.credits.byDay) : 1;
  return {
    id: "by-model",
    title: "Models",
    about: before === undefined ? "Credits by model." : "Credits by model; changes are by day of data.",
    gap: formatShortGap(report, ["credits"]),
    columns: [
      { id: "model", title: "Model", kind: "name" },
      ...creditColumns(report),
      { id: "share", title: "Share", kind: "share" },
      ...(before ? [{ id: "credits_a_day_change", title: "Credits a day, change", kind: "change" } as const] : []),
    ],
    rows: models
      .slice(0, maxModels)
      .map(({ name, count }) => [
        ...[name, ...creditCells(report, count), count / credits.byModel.total],
        ...(before ? [count / days - (before.get(name) ?? 0) / daysBefore] : []),
      ]),
  };
}

/** Builds the table of teams. */
function teamsSection(report: UsageReport): Section | undefined {
  const { teams, people } = report;
  if (teams === undefined || people === undefined) return undefined;
  const hasBefore = teams.withoutTeam.creditsPerDayBefore !== undefined;
  const lines = [
    ...teams.teams.map((team) => ({ ...team, size: team.members })),
    { ...teams.withoutTeam, name: "No team", size: teams.withoutTeam.users },
  ];
  return {
    id: "by-team",
    title: "Teams",
    about: describeTeams(teams),
    gap: formatShortGap(report, ["people"]),
    columns: [
      { id: "team", title: "Team", kind: "name" },
      { id: "members", title: "Members", kind: "count" },
      { id: "active", title: "Active", kind: "count" },
      ...creditColumns(report),
      { id: "share", title: "Share", kind: "share" },
      ...(hasBefore ? [{ id: "credits_a_day_change", title: "Credits a day, change", kind: "change" } as const] : []),
      { id: "sessions", title: "Sessions", kind: "count" },
      { id: "tool_calls", title: "Tool calls", kind: "count" },
      { id: "commits", title: "Commits", kind: "count" },
      { id: "pull_requests", title: "Pull requests", kind: "count" },
    ],
    rows: lines.map((line) => [
      ...[line.name, line.size, line.active, ...creditCells(report, line.credits)],
      people.totals.credits === 0 ? 0 : line.credits / people.totals.credits,
      ...(hasBefore ? [line.creditsPerDay - (line.creditsPerDayBefore ?? 0)] : []),
      ...[line.sessions, line.toolCalls, line.commits, line.pullRequests],
    ]),
  };
}

/** Maximum number of names in a sentence. */
const maxNamesInText = 5;

function describeTeams({ withoutTeam, namesWithoutTeam, unknown, unknownAddresses }: Teams): string {
  const list = (names: readonly string[], all: number): string => {
    const shown = names.slice(0, maxNamesInText);
    const more = all > shown.length ? ` and ${numberText(all - shown.length)} more` : "";
    return shown.length === 0 ? "" : ` (${shown.join(", ")}${more})`;
  };
  const texts = [
    withoutTeam.users === 0
      ? "Every user with activity is in a team."
      : `${countText(withoutTeam.users, "users")} in no team${list(namesWithoutTeam, withoutTeam.users)}.`,
    unknown > 0 &&
      `${unknown === 1 ? "1 address of the file is" : `${numberText(unknown)} addresses of the file are`} unknown to the service${list(unknownAddresses, unknown)}.`,
  ];
  return texts.filter(Boolean).join(" ");
}

function countChanges({ newUsers, returningUsers = 0, lostUsers = 0 }: Movement): string {
  if (newUsers === undefined) return "Days are missing, so new and lost users are unknown. Changes";
  return `${countText(newUsers, "new users")}, ${numberText(returningUsers)} returning, ${numberText(lostUsers)} lost`;
}

/** Builds the table of new and lost users, risers and fallers. */
function movementSection(report: UsageReport): Section | undefined {
  const { movement, previous } = report;
  if (movement === undefined || previous === undefined) return undefined;
  const gaps = [formatShortGap(report, ["people"]), formatShortGap(previous, ["people"])].filter(Boolean);
  return {
    id: "movement",
    title: "Who changed",
    about: `${countChanges(movement)} since ${periodText(previous.period)}. Below, the users whose credits a day rose or fell most.`,
    gap: [...new Set(gaps)].join(", "),
    columns: [
      { id: "user", title: "User", kind: "name" },
      { id: "credits_a_day", title: "Credits a day", kind: "count" },
      { id: "credits_a_day_before", title: "Before", kind: "count" },
      { id: "change", title: "Change", kind: "change" },
    ],
    rows: [...movement.risers, ...movement.fallers.toReversed()].map(
      ({ name, creditsPerDay: now, creditsPerDayBefore: past }) => [name, now, past, now - past],
    ),
  };
}

/** Builds the table of the costliest sessions. */
function sessionsSection(report: UsageReport): Section | undefined {
  const { sessions } = report;
  const head = { id: "costly-sessions", title: "Costliest sessions" };
  if (sessions === undefined) return missingSection(report, "sessions", head);
  const texts = [
    sessions.sessions === 0
      ? "No session was started in the period."
      : `Of ${countText(sessions.sessions, "sessions")} started in the period, with their child sessions.`,
    sessions.withoutCredits > 0 && `The service gives no credits for ${numberText(sessions.withoutCredits)} of them.`,
    sessions.undated > 0 &&
      `${countText(sessions.undated, "sessions")} without a start ${sessions.undated === 1 ? "is" : "are"} left out.`,
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
function tagsSection(report: UsageReport): Section | undefined {
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
function readinessSection(report: UsageReport): Section | undefined {
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
        : `Latest evaluation of ${count === 1 ? "1 repository" : `${numberText(count)} repositories`}, least ready first, compared with the one before.${listed} Together they pass ${numberText(passed)} of ${countText(all, "checks")}.`,
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
function idleSeatsSection({ seats, coverage, ...report }: UsageReport): Section | undefined {
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
function criteriaSection(report: UsageReport): Section | undefined {
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
function controlsSection(report: UsageReport): Section | undefined {
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
