import { resolve } from "node:path";
import { collect } from "../../../../report/collect.ts";
import { partTitles, type UsageReport } from "../../../../report/report.ts";
import { numberText } from "../../../../report/format.ts";
import { AbortError } from "../../../../service/error.ts";
import { tokens } from "../../../../service/resources/analytics-endpoints.ts";
import type { CliContext } from "../../../context.ts";
import { interrupted } from "../../../errors.ts";
import { connect } from "../../../service/connect.ts";
import { failureOf } from "../request/failure.ts";
import { type Period, periodOf } from "../request/period.ts";
import { createProgress } from "../output/progress.ts";
import { checkPlace, writeReportFile } from "./report-file.ts";
import { reportText } from "./report-text.ts";

export interface ReportOptions {
  readonly since: string;
  readonly until?: string;
  /** Where the page goes; `-` is standard output. */
  readonly out?: string;
  readonly json?: boolean;
}

const defaultColumns = 80;

/**
 * `beckon service report`: key figures in the terminal, the data as JSON, or a page.
 * @returns the exit code: 0, 1 where a part is missing, 130 after Ctrl-C
 * @throws {UsageError | CommandError}
 */
export async function runReport(options: ReportOptions, context: CliContext): Promise<number> {
  const nowMs = (context.now ?? Date.now)();
  const period = periodOf(options, nowMs);
  const path =
    options.out === undefined || options.out === "-" ? undefined : resolve(context.place.project, options.out);
  if (path !== undefined) await checkPlace(path);
  const report = await reportOf(period, nowMs, context);
  if (report === undefined) return interrupted;
  if (path !== undefined) await writePage(report, path, context);
  else if (options.out === "-") context.print((await pageOf(report)).trimEnd());
  else if (options.json) context.print(JSON.stringify(report, undefined, 2));
  else context.print(textOf(report, context));
  for (const { part, reason, hint } of report.missing) {
    context.printError(`${context.errorColors.yellow("beckon:")} without ${partTitles[part]}: ${reason}`);
    if (hint !== undefined) context.printError(`  ${hint}`);
  }
  return report.missing.length === 0 ? 0 : 1;
}

/** Nothing where the user ended it. */
async function reportOf(period: Period, nowMs: number, context: CliContext): Promise<UsageReport | undefined> {
  const client = await connect(context);
  const signal = context.interruption();
  const progress = createProgress(context);
  const onUsers = (rows: number): void => progress.show(`${numberText(rows)} rows of users so far …`);
  try {
    return await collect(client, period, { nowMs, signal, onUsers });
  } catch (error) {
    progress.clear();
    if (!(error instanceof AbortError && signal.aborted)) throw failureOf(error, tokens, context.paths.config);
    context.printError("Stopped.");
    return undefined;
  } finally {
    progress.clear();
  }
}

async function writePage(report: UsageReport, path: string, { printError }: CliContext): Promise<void> {
  await writeReportFile(path, await pageOf(report));
  printError(`Wrote ${path}`);
}

/** The chart library is loaded where it is needed, and nowhere else. */
async function pageOf(report: UsageReport): Promise<string> {
  return (await import("../../../../report/page/page.ts")).renderPage(report);
}

function textOf(report: UsageReport, { terminal, place, colors }: CliContext): string {
  const columns = Math.max(40, Math.min(terminal?.columns() ?? defaultColumns, 100));
  return reportText(report, { columns, isPlain: !isUtf8(place.env, place.platform), colors });
}

/** Whether a terminal takes more than ASCII: what its locale says, and where there is none, what is usual there. */
function isUtf8({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG;
  return locale ? /utf-?8/i.test(locale) : platform === "darwin" || platform === "win32";
}
