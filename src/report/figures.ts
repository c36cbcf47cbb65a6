import { counted, numberText, perDayText } from "./format.ts";
import type { UsageReport } from "./report.ts";

/** A key figure: a number, and a note that puts it into perspective. */
export interface Figure {
  readonly title: string;
  readonly value: string;
  readonly note: string;
}

/** The key figures, for the parts that the report has. */
export function figuresOf(report: UsageReport): Figure[] {
  const { credits, activity, toolUse, productivity, people, days } = report;
  const figure = (title: string, value: number, note: string): Figure => ({ title, value: numberText(value), note });
  const figures: (Figure | undefined)[] = [
    credits && figure("Credits", credits.total, perDayText(credits.total, days)),
    activeUsers(),
    activity && figure("Sessions", activity.sessions.total, counted(activity.messages, "messages")),
    toolUse && figure("Tool calls", toolUse.calls.total, counted(toolUse.hookRuns, "hook runs")),
    productivity && figure("Commits", productivity.commits.total, perDayText(productivity.commits.total, days)),
    productivity &&
      figure("Pull requests", productivity.pullRequests.total, perDayText(productivity.pullRequests.total, days)),
  ];
  return figures.filter((one) => one !== undefined);

  function activeUsers(): Figure | undefined {
    const daily = activity && perDayText(activity.activeUsers.total, days);
    if (people !== undefined) return figure("Active users", people.active, daily ?? `of ${numberText(people.users)}`);
    if (activity === undefined) return undefined;
    return figure("Active users", activity.monthlyActiveUsers, "in the 30 days to the last");
  }
}
