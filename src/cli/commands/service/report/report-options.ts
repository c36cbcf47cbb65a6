import { UsageError } from "../../../../core/errors.ts";
import type { BudgetPlan } from "../../../../report/budget.ts";
import { type SectionName, sectionNames } from "../../../../report/collect.ts";
import type { Price } from "../../../../report/report.ts";

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
