const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const broken = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** `1,234,567`; two decimals where it is no whole number. */
export function formatNumber(value: number): string {
  return (Number.isInteger(value) ? whole : broken).format(value);
}
