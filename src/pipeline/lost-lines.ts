import { type JournalLine, lostStatuses } from "../journal/journal-line.ts";

/** Of whole events' lines, those that say that something was lost which no later attempt has sent. */
export function lostLines(lines: readonly JournalLine[]): JournalLine[] {
  const sent = new Map(lines.filter(({ status }) => status === "sent").map((line) => [keyOf(line), line.at]));
  return lines.filter((line) => lostStatuses.includes(line.status) && (sent.get(keyOf(line)) ?? "") < line.at);
}

function keyOf({ id, notifier }: JournalLine): string {
  return `${id} ${notifier ?? ""}`;
}
