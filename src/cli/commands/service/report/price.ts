import { UsageError } from "../../../../core/errors.ts";
import type { Price } from "../../../../report/report.ts";

/**
 * The price of a credit as it is written on the command line: `0.01`, or with an ISO 4217 code `0.01EUR`, `EUR 0.01`.
 * @throws {UsageError} for anything else
 */
export function priceOf(text: string): Price {
  const [, before = "", amount = "", after = ""] =
    /^([A-Za-z]{3})? ?(\d{1,9}(?:\.\d{1,9})?) ?([A-Za-z]{3})?$/.exec(text) ?? [];
  const currency = (before || after).toUpperCase();
  const perCredit = Number(amount);
  if (amount === "" || (before !== "" && after !== "") || perCredit === 0) {
    throw new UsageError("--price must be an amount above 0", "Write it as 0.01, or with a currency as 0.01EUR.");
  }
  return { perCredit, currency };
}
