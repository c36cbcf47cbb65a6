import type { JournalLine } from "../../journal/journal-line.ts";

/** The other machines whose events could not be read, the most frequent first; none for this machine's own events. */
export function rejectedHosts(rejected: readonly Pick<JournalLine, "host">[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { host } of rejected) if (host !== undefined) counts.set(host, (counts.get(host) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([host]) => host);
}
