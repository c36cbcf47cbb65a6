import { InvalidArgumentError } from "commander";
import { parseDuration } from "../../text/time.ts";

/**
 * The instant that `--since` names, Unix milliseconds: so long ago (`30m`, `2h`, `3d`, `1w`), or a day or time, local
 * unless it has a zone.
 * @throws {InvalidArgumentError}
 */
export function parseSince(text: string): number {
  const agoMs = parseDuration(text, ["s", "m", "h", "d", "w"]);
  if (agoMs >= 0) return Math.max(0, Date.now() - agoMs);
  const isTime = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/.test(text);
  const atMs = isTime
    ? Date.parse(text.length === "2026-11-21".length ? `${text}T00:00` : text.replace(" ", "T"))
    : Number.NaN;
  if (Number.isFinite(atMs)) return atMs;
  throw new InvalidArgumentError("It must be 30m, 2h, 3d or 1w, or a time such as 2026-11-21 or 2026-11-21T04:52.");
}
