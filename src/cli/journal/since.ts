import { InvalidArgumentError } from "commander";

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * The instant that `--since` names, Unix milliseconds: so long ago (`30m`, `2h`, `3d`, `1w`), or a day or time, local
 * unless it has a zone.
 * @throws {InvalidArgumentError}
 */
export function parseSince(text: string): number {
  const [, ago, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (ago !== undefined) return Date.now() - Number(ago) * (unitMs[unit] ?? 0);
  const isTime = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/.test(text);
  const atMs = isTime
    ? Date.parse(text.length === "2026-11-21".length ? `${text}T00:00` : text.replace(" ", "T"))
    : Number.NaN;
  if (Number.isFinite(atMs)) return atMs;
  throw new InvalidArgumentError("It must be 30m, 2h, 3d or 1w, or a time such as 2026-11-21 or 2026-11-21T04:52.");
}
