import { join, resolve } from "node:path";
import { CommandError, UsageError } from "../../../../core/errors.ts";
import { omitUndefined } from "../../../../core/omit-undefined.ts";
import type { BudgetPlan } from "../../../../report/budget.ts";
import { type CollectOptions, collect, type SectionName, sectionNames } from "../../../../report/collect.ts";
import { computeFigures } from "../../../../report/figures.ts";
import { numberText } from "../../../../report/format.ts";
import { describeDisagreement, findDisagreements, gapText, listGaps } from "../../../../report/gaps.ts";
import { defaultListing } from "../../../../report/people.ts";
import type { Period } from "../../../../report/period.ts";
import { isComplete, type Price, type UsageReport } from "../../../../report/report.ts";
import { buildSummary } from "../../../../report/summary.ts";
import { buildTables } from "../../../../report/tables.ts";
import { AbortError } from "../../../../service/error.ts";
import type { SentResult } from "../../../../service/exchange.ts";
import { tokens } from "../../../../service/resources/analytics.ts";
import { durationText } from "../../../../text/time.ts";
import type { CliContext } from "../../../context.ts";
import { interrupted } from "../../../errors.ts";
import { type JsonOption, jsonLine } from "../../../output/json-line.ts";
import { csvLine } from "../output/csv.ts";
import { createProgress } from "../output/progress.ts";
import { connect, describeSource } from "../request/connect.ts";
import { createFailure } from "../request/failure.ts";
import { cutRemark, parsePeriod } from "../request/period.ts";
import { checkReportFile, checkReportFolder, makeReportFolder, writeReportFile } from "./report-file.ts";
import { reportText } from "./report-text.ts";

interface ReportOptions extends JsonOption {
  readonly since: string;
  readonly until?: string;
  /** File for the HTML page; `-` is standard output. */
  readonly out?: string;
  /** Folder for CSV files. */
  readonly csv?: string;
  /** Maximum number of users to list. */
  readonly top?: number;
  /** False replaces users' names by `User 1`, `User 2` …. */
  readonly names?: boolean;
  /** Price of a credit as the user wrote it. */
  readonly price?: string;
  /** Budget of a month, as written by the user. */
  readonly budget?: string;
  /** File with the teams. */
  readonly team?: string;
  /** Sections to request, separated by commas. */
  readonly sections?: string;
  /** Name of a profile in the configuration. */
  readonly profile?: string;
}

const defaultColumns = 80;

/** Maximum number of a report's requests at once, so that a report leaves room for others under a rate limit. */
const maxConcurrency = 2;

/**
 * Runs `beckon service report`: prints the report as text or JSON, or writes an HTML page. Also writes CSV files on
 * request.
 * @returns the exit code: 0, 1 if data of the period is missing, 130 after Ctrl-C
 * @throws {UsageError | CommandError}
 */
export async function runReport(options: ReportOptions, context: CliContext): Promise<number> {
  const nowMs = context.now();
  const period = parsePeriod(options, nowMs);
  const price = options.price === undefined ? undefined : parsePrice(options.price);
  const budget = options.budget === undefined ? undefined : parseBudget(options.budget, price);
  parseSections(options.sections, true);
  const inProject = (path: string): string => resolve(context.environment.project, path);
  const path = options.out === undefined || options.out === "-" ? undefined : inProject(options.out);
  const folder = options.csv === undefined ? undefined : inProject(options.csv);
  if (path !== undefined) await checkReportFile(path);
  if (folder !== undefined) await checkReportFolder(folder);
  const listing = { top: options.top ?? defaultListing.top, isNamed: options.names ?? true };
  const { team } = options;
  // Few reports need the parser of team files.
  const teams = team === undefined ? undefined : await (await import("./team-file.ts")).readTeamFile(inProject(team));
  const collecting = omitUndefined<CollectOptions>({ nowMs, listing, price, budget, teams });
  const report = await collectReport(period, collecting, options, context);
  if (report === undefined) return interrupted;
  if (path !== undefined) {
    await writeReportFile(path, await loadPage(report));
    context.printError(`Wrote ${path}`);
  } else if (options.out === "-") context.print((await loadPage(report)).trimEnd());
  else if (options.json) context.print(jsonLine(toReportJson(report)));
  else context.print(formatReport(report, context));
  if (folder !== undefined) await writeTables(folder, report, context);
  for (const remark of cutRemark(options, period)) context.printError(remark);
  if (report.waitedMs !== undefined) {
    context.printError(`Waited ${durationText(report.waitedMs)}, because the service limits the number of requests.`);
  }
  printGaps(report, context);
  return isComplete(report) ? 0 : 1;
}

async function writeTables(folder: string, report: UsageReport, { printError }: CliContext): Promise<void> {
  await makeReportFolder(folder);
  for (const { name, head, rows } of buildTables(report)) {
    const lines = [head, ...rows].map((cells) => `${csvLine(cells)}\r\n`);
    await writeReportFile(join(folder, `${name}.csv`), lines.join(""));
  }
  printError(`Wrote CSV files to ${folder}`);
}

/** Prints the report's gaps to standard error, because standard output may go to a file. */
function printGaps(report: UsageReport, { printError, errorColors }: CliContext): void {
  for (const gap of listGaps(report)) {
    printError(`${errorColors.yellow("beckon:")} ${gapText(gap)}`);
    if (gap.hint !== undefined) printError(`  ${gap.hint}`);
  }
}

/** Collects the report; undefined after Ctrl-C. */
async function collectReport(
  period: Period,
  options: CollectOptions,
  { profile, sections: chosen }: ReportOptions,
  context: CliContext,
): Promise<UsageReport | undefined> {
  const progress = createProgress(context);
  const onResponse = ({ status }: SentResult): void => {
    if (status === 429) progress.spin("Waiting, because the service limits the number of requests …");
  };
  const { client, hasAppUrl } = await connect(context, { profile, onResponse, maxConcurrency });
  const sections = parseSections(chosen, hasAppUrl);
  if (sections.includes("readiness") && !hasAppUrl) {
    const hint = `Set ${describeSource("appUrl", profile)}, or leave readiness out of --sections.`;
    throw new CommandError("readiness reports need the address of the web application", hint);
  }
  const signal = context.interruption();
  progress.spin("Fetching usage data …");
  const onUsers = (rows: number): void => progress.spin(`Fetched ${numberText(rows)} rows of user data …`);
  try {
    return await collect(client, period, { ...options, sections, signal, onUsers });
  } catch (error) {
    progress.clear();
    if (!(error instanceof AbortError && signal.aborted))
      throw createFailure(error, tokens, context.paths.config, profile);
    context.printError("Stopped.");
    return undefined;
  } finally {
    progress.clear();
  }
}

/** Renders the report's page. Imports it here, because the chart library is slow to load. */
async function loadPage(report: UsageReport): Promise<string> {
  return (await import("../../../../report/page/page.ts")).renderPage(report);
}

function formatReport(report: UsageReport, { terminal, environment, colors }: CliContext): string {
  const columns = Math.max(40, Math.min(terminal?.columns() ?? defaultColumns, 100));
  return reportText(report, { columns, isAscii: !isUtf8(environment.env, environment.platform), colors });
}

/** Tells if a terminal shows UTF-8, by its locale or else by the platform's default. */
function isUtf8({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG;
  return locale ? /utf-?8/i.test(locale) : platform === "darwin" || platform === "win32";
}

const amountWithCurrency = /^([A-Za-z]{3})? ?(\d{1,15}(?:\.\d{1,9})?) ?([A-Za-z]{3})?$/;

/** Splits an amount with an ISO 4217 code, as `0.01EUR` or `EUR 0.01`; undefined for anything else and for 0. */
function parseAmount(text: string): { readonly amount: number; readonly currency: string } | undefined {
  const [, before = "", digits = "", after = ""] = amountWithCurrency.exec(text.trim()) ?? [];
  const amount = Number(digits);
  if (amount === 0 || (before !== "" && after !== "")) return undefined;
  return { amount, currency: (before || after).toUpperCase() };
}

/** Reads the price of a credit on the command line. @throws {UsageError} */
export function parsePrice(text: string): Price {
  const parsed = parseAmount(text);
  if (parsed === undefined)
    throw new UsageError("--price must be an amount above 0 and a currency", "Write it as 0.01EUR.");
  const { amount: perCredit, currency } = parsed;
  if (currency === "")
    throw new UsageError("--price needs a currency", `Write it as ${text.trim()}EUR or ${text.trim()}USD.`);
  return { perCredit, currency };
}

/**
 * Reads the budget of a month on the command line: credits, or an amount of money in the currency of the price.
 * @throws {UsageError}
 */
export function parseBudget(text: string, price: Price | undefined): BudgetPlan {
  const parsed = parseAmount(text);
  if (parsed === undefined)
    throw new UsageError("--budget must be an amount above 0", "Write credits as 3000000, or money as 30000EUR.");
  const { amount, currency } = parsed;
  if (currency === "") return { credits: amount };
  if (price === undefined)
    throw new UsageError("--budget in money needs a price", `Add --price, such as --price 0.01${currency}.`);
  if (price.currency !== currency)
    throw new UsageError(`--budget is in ${currency}, and --price in ${price.currency}`, "Use one currency for both.");
  return { credits: amount / price.perCredit };
}

/**
 * Reads the sections to request: names separated by commas, or `none`. The default is the history of settings and, if
 * the address of the web application is known, readiness.
 * @throws {UsageError} for an unknown section
 */
export function parseSections(text: string | undefined, hasAppUrl: boolean): readonly SectionName[] {
  if (text === undefined) return hasAppUrl ? ["readiness", "settings"] : ["settings"];
  if (text.trim() === "none") return [];
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !(sectionNames as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `--sections does not know ${unknown || "an empty name"}`,
      `Use ${sectionNames.join(", ")} or none.`,
    );
  return names as SectionName[];
}

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
