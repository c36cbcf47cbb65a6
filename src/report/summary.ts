import { computeFigures, type Figure } from "./figures.ts";
import { briefNumber, changeText, numberText, periodText } from "./format.ts";
import type { UsageReport } from "./report.ts";

/**
 * Sums up a report in one sentence (credits, seats, pull requests, and credits per pull request), and in a remark on the
 * period compared with and on missing data.
 */
export function buildSummary(report: UsageReport) {
  const figures = new Map(computeFigures(report).map((figure) => [figure.id, figure]));
  const clauses = [
    describeChange("credits", figures.get("credits")),
    describeSeats(report),
    describeChange("pull requests", figures.get("pull_requests")),
  ].filter((clause) => clause !== "");
  const perPullRequest = describeChange("credits per pull request", figures.get("credits_per_pull_request"));
  const sentence = `${clauses.join(", ")}; ${perPullRequest}.`;
  return { sentence: sentence.charAt(0).toUpperCase() + sentence.slice(1), remark: describeBasis(report, figures) };
}

function describeChange(what: string, figure: Figure | undefined): string {
  if (figure?.value === undefined) return `no data on ${what}`;
  if (figure.change === undefined) return `${what} ${briefNumber(figure.value)}`;
  return `${what} ${changeText(figure.change)}${figure.basis === "day" ? " a day" : ""}`;
}

function describeSeats({ seats, coverage }: UsageReport): string {
  if (seats?.idle === undefined || seats.users === 0) return "";
  if (seats.idle === 0) return "all seats used";
  const most = coverage.seats?.unmatched === undefined ? "" : "up to ";
  return `${most}${numberText(seats.idle)} of ${numberText(seats.users)} seats idle`;
}

function describeBasis(report: UsageReport, figures: ReadonlyMap<string, Figure>): string {
  const { previous } = report;
  const ids = ["credits", "idle_seats", "pull_requests", "credits_per_pull_request"];
  const isPartial = ids.some((id) => figures.get(id)?.gap);
  const compared =
    previous === undefined
      ? "There is no period before to compare with."
      : `Changes since ${periodText(previous.period)}.`;
  return isPartial ? `${compared} Some data is missing, as noted.` : compared;
}
