const formats = [0, 1, 2].map(
  (digits) => new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }),
);

/** `1,234,567`. @param decimals 0 to 2; else two for a number that is not whole */
export function formatNumber(value: number, decimals = Number.isInteger(value) ? 0 : 2): string {
  return formats[decimals]?.format(value) ?? String(value);
}
