import { resolve } from "node:path";
import { collect } from "../../../../report/collect.ts";
import { numberText } from "../../../../report/format.ts";
import type { Period } from "../../../../report/period.ts";
import { partTitles, type UsageReport } from "../../../../report/report.ts";
import { AbortError } from "../../../../service/error.ts";
import { tokens } from "../../../../service/resources/analytics.ts";
import type { CliContext } from "../../../context.ts";
import { interrupted } from "../../../errors.ts";
import { createProgress } from "../output/progress.ts";
import { connect } from "../request/connect.ts";
import { failureOf } from "../request/failure.ts";
import { periodOf } from "../request/period.ts";
import { checkReportFile, writeReportFile } from "./report-file.ts";
import { reportText } from "./report-text.ts";

export interface ReportOptions {
  readonly since: string;
  readonly until?: string;
  /** File for the page; `-` is standard output. */
  readonly out?: string;
  readonly json?: boolean;
}

const defaultColumns = 80;

/**
 * `beckon service report`: prints key figures or JSON, or writes a page.
 * @returns the exit code: 0, 1 if a part is missing, 130 after Ctrl-C
 * @throws {UsageError | CommandError}
 */
export async function runReport(options: ReportOptions, context: CliContext): Promise<number> {
  const nowMs = (context.now ?? Date.now)();
  const period = periodOf(options, nowMs);
  const path =
    options.out === undefined || options.out === "-" ? undefined : resolve(context.environment.project, options.out);
  if (path !== undefined) await checkReportFile(path);
  const report = await reportOf(period, nowMs, context);
  if (report === undefined) return interrupted;
  if (path !== undefined) {
    await writeReportFile(path, await pageOf(report));
    context.printError(`Wrote ${path}`);
  } else if (options.out === "-") context.print((await pageOf(report)).trimEnd());
  else if (options.json) context.print(JSON.stringify(report, undefined, 2));
  else context.print(textOf(report, context));
  for (const { part, reason, hint } of report.missing) {
    context.printError(`${context.errorColors.yellow("beckon:")} ${partTitles[part]} are missing: ${reason}`);
    if (hint !== undefined) context.printError(`  ${hint}`);
  }
  return report.missing.length === 0 ? 0 : 1;
}

/** Undefined after Ctrl-C. */
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

/** Imported here because the chart library is slow to load. */
async function pageOf(report: UsageReport): Promise<string> {
  return (await import("../../../../report/page/page.ts")).renderPage(report);
}

function textOf(report: UsageReport, { terminal, environment, colors }: CliContext): string {
  const columns = Math.max(40, Math.min(terminal?.columns() ?? defaultColumns, 100));
  return reportText(report, { columns, isAscii: !isUtf8(environment.env, environment.platform), colors });
}

/** Whether a terminal shows more than ASCII: by its locale, or where there is none, by what is usual on the platform. */
function isUtf8({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG;
  return locale ? /utf-?8/i.test(locale) : platform === "darwin" || platform === "win32";
}
