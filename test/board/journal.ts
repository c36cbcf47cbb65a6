import type { JournalLine } from "../../src/journal/journal-line.ts";

/** Converts a local time in November 2026 to Unix milliseconds: `at("22 09:30")`, `at("22 09:30:15")`. */
export function at(text: string): number {
  const [day = "", time = ""] = text.split(" ");
  return new Date(`2026-11-${day}T${time}`).getTime();
}

/** Makes a journal line, by default of the shop's Claude session. */
export type Changes = Partial<JournalLine> & Pick<JournalLine, "status">;

export function line(time: string, id: string, changes: Changes): JournalLine {
  const own = { event: "Notification", agent: "claude", kind: "needs-you", sessionId: "s-1", project: "shop" };
  return { at: new Date(at(time)).toISOString(), id, ...own, ...changes };
}

const stop = { event: "Stop", kind: "finished" };
const api = { agent: "codex", sessionId: "s-2", project: "api" };
const minuteMs = 60_000;

/**
 * Sunday, 22 November, worked out by hand:
 * - shop waits 09:10–09:20 and 09:15–09:25: two requests at once, 15 min together; and 23:50–00:10, of which 10 min are
 *   Sunday's
 * - api waits 10:00–10:30, forgotten: no reaction
 * - shop works 09:00–09:10 and 09:25–09:30, api 11:40–12:00 by the length of its turn
 * - of four events something was sent, one was held in quiet hours, one is an echo
 */
export const sunday: readonly JournalLine[] = [
  line("21 23:00", "old", { ...stop, status: "accepted", title: "Yesterday", tokens: 1_000 }),
  line("21 23:00", "old", { ...stop, status: "sent", notifier: "desk" }),
  line("22 09:00", "p1", { event: "Prompt", kind: "info", status: "accepted" }),
  line("22 09:10", "n1", { status: "accepted", title: "Fix the till", summary: "Bash: git push" }),
  line("22 09:10:02", "n1", { status: "sent", notifier: "desk", attempt: 1, tookMs: 4 }),
  line("22 09:15", "n2", { status: "accepted", summary: "Bash: git tag" }),
  line("22 09:15", "n2", { status: "retrying", notifier: "phone", reason: "unavailable: connection refused" }),
  line("22 09:16", "n2", { status: "sent", notifier: "phone", attempt: 2, tookMs: 80 }),
  line("22 09:20", "n1", { status: "resolved", resolvedBy: "result", waitedMs: 10 * minuteMs }),
  line("22 09:25", "n2", { status: "resolved", resolvedBy: "prompt", waitedMs: 10 * minuteMs }),
  line("22 09:30", "f1", { ...stop, status: "accepted", title: "Fix the till", turnMs: 30 * minuteMs, tokens: 5_000 }),
  line("22 09:30", "f1", { ...stop, status: "skipped", reason: "no route matches" }),
  line("22 09:31", "f2", { ...stop, status: "accepted" }),
  line("22 09:31", "f2", { ...stop, status: "skipped", reason: "the same as before" }),
  line("22 10:00", "n3", { ...api, status: "accepted", summary: "May I?" }),
  line("22 10:00", "n3", { ...api, status: "held", notifier: "desk", until: iso("22 10:00:02"), heldFor: "wait" }),
  line("22 10:00:02", "n3", { ...api, status: "failed", notifier: "desk", reason: "auth: HTTP 401" }),
  line("22 10:30", "n3", { ...api, status: "resolved", resolvedBy: "forgotten", waitedMs: 30 * minuteMs }),
  line("22 12:00", "x1", { ...api, event: "Stop", kind: "failed", status: "accepted", turnMs: 20 * minuteMs }),
  line("22 12:00", "x1", { ...api, event: "Stop", kind: "failed", status: "sent", notifier: "desk" }),
  line("22 22:30", "f3", { ...stop, status: "accepted", tokens: 5_500, credits: 2 }),
  line("22 22:30", "f3", { ...stop, status: "held", notifier: "desk", until: iso("23 07:30"), heldFor: "silence" }),
  line("22 23:50", "n4", { status: "accepted", summary: "Bash: rm -rf node_modules" }),
  line("22 23:50", "n4", { status: "sent", notifier: "desk" }),
  line("23 00:10", "n4", { status: "resolved", resolvedBy: "prompt", waitedMs: 20 * minuteMs }),
  line("23 07:30", "f3", { ...stop, status: "sent", notifier: "desk" }),
];

function iso(text: string): string {
  return new Date(at(text)).toISOString();
}
