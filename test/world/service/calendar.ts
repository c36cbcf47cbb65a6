export const dayMs = 86_400_000;
/** The first day with data. */
export const firstDay = "2026-01-14";

/** Days since 1970 of an existing `YYYY-MM-DD`; undefined for any other text. */
export function dayNumber(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || dayText(ms / dayMs) !== text ? undefined : ms / dayMs;
}

export function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
