import { dayText, moneyText, numberText, pointsText, shareText } from "./format.ts";
import type { PartName, Price, UsageReport } from "./report.ts";

/** Cell of a section's table; undefined is empty. */
export type SectionCell = string | number | undefined;

/** Column of a section's table. */
export interface SectionColumn {
  /** Name in CSV. */
  readonly id: string;
  readonly title: string;
  /** Format. `points` is a difference of shares, where 0.1 is 10 points; `change` is a difference of counts. */
  readonly kind: "name" | "word" | "count" | "share" | "points" | "change" | "money" | "day";
}

/** Table of a report and a sentence about it, from which the page, the terminal output and the CSV files are made. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** Sentences on what is shown and what is missing. */
  readonly about: string;
  /** Missing data, in a few words; empty if complete. */
  readonly gap: string;
  readonly columns: readonly SectionColumn[];
  readonly rows: readonly (readonly SectionCell[])[];
  /** Shares of a whole, where 1 is the whole; the page draws them as a bar. */
  readonly meter?: { readonly used: number; readonly forecast: number; readonly label: string };
}

/**
 * Formats a cell for people.
 * @param currency ISO 4217 code for money
 */
export function formatCell(cell: SectionCell, { kind }: SectionColumn, currency = ""): string {
  if (cell === undefined || cell === "") return kind === "word" || kind === "name" ? "" : "–";
  if (typeof cell === "string") return kind === "day" ? dayText(cell) : cell;
  if (kind === "share") return shareText(cell, 1);
  if (kind === "points") return pointsText(cell);
  if (kind === "change") return signedText(cell);
  if (kind === "money") return moneyText(cell, currency);
  return numberText(cell < 10 ? cell : Math.round(cell));
}

/** Formats a difference of counts: `+1,234`. */
function signedText(difference: number): string {
  const size = Math.abs(difference);
  const text = numberText(size < 10 ? size : Math.round(size));
  return `${text === "0" ? "±" : difference > 0 ? "+" : "−"}${text}`;
}

/** Makes a column of credits and, if the report has a price, a column of the cost. */
export function creditColumns({ price }: UsageReport): SectionColumn[] {
  const cost = { id: "cost", title: "Cost", kind: "money" } as const;
  return [{ id: "credits", title: "Credits", kind: "count" }, ...(price ? [cost] : [])];
}

/** Makes the cells for the columns that `creditColumns` makes. */
export function creditCells({ price }: UsageReport, credits: number): SectionCell[] {
  return price ? [credits, computeCost(credits, price)] : [credits];
}

/** Computes a cost, rounded to twelve digits, because a product of decimal fractions is rarely exact. */
export function computeCost(credits: number, { perCredit }: Price): number {
  return Number((credits * perCredit).toPrecision(12));
}

/** Builds a section that says why a requested part is missing; undefined if the part was not requested. */
export function missingSection(
  report: UsageReport,
  part: PartName,
  head: Pick<Section, "id" | "title">,
): Section | undefined {
  const coverage = report.coverage[part];
  if (coverage === undefined) return undefined;
  const { plainReason, reason } = coverage.failure ?? {};
  const text = plainReason ?? reason;
  const about = text === undefined ? "No data." : `Missing: ${text}.`;
  return { ...head, about, gap: "no data", columns: [], rows: [] };
}
