import { clockTime, shortDuration } from "../text/time.ts";
import type { JournalLine } from "./journal-line.ts";

/** Describes the outcome in a journal line for people. */
export function describeOutcome(line: JournalLine): string {
  const { reason, attempt = 1, tookMs, status } = line;
  if (status === "resolved") return describeResolution(line);
  if (status === "held") return [describeHold(line), reason].filter(Boolean).join(": ");
  const answer = describeAnswer(line);
  const attempts = attempt > 1 ? `attempt ${attempt}` : "";
  const took = status === "sent" && tookMs !== undefined ? `${tookMs} ms` : "";
  return [answer, attempts, took, reason].filter(Boolean).join(", ");
}

/** Describes an answer, such as `allow by dev with desk after 12 s`. */
function describeAnswer({ status, choice, by, via, waitedMs }: JournalLine): string {
  if (choice === undefined) return via === undefined ? "" : `with ${via}`;
  const who = by === undefined ? "" : ` by ${by}`;
  const after = status === "answered" && waitedMs !== undefined ? ` after ${shortDuration(waitedMs)}` : "";
  return `${choice}${who} with ${via}${after}`;
}

/** Resolutions that mean that the user answered. */
const userResolutions: readonly string[] = ["prompt", "result", "answered"];

/** Describes a resolution, such as `answered after 12 s: you typed a prompt`. */
function describeResolution({ resolvedBy = "", waitedMs = 0 }: JournalLine): string {
  const after = `after ${shortDuration(waitedMs)}`;
  return `${userResolutions.includes(resolvedBy) ? `answered ${after}` : after}: ${explainResolution(resolvedBy)}`;
}

/** Ends of holds for the user's presence, by their reasons. Their times are only those of the next look. */
const presenceEnds: Readonly<Record<string, string>> = {
  "you are at this machine": "until you are away",
  "you are away": "until you are back",
};

function describeHold({ at, until, reason = "" }: JournalLine): string {
  if (Object.hasOwn(presenceEnds, reason)) return presenceEnds[reason] ?? "";
  return until === undefined ? "" : `until ${clockTime(Date.parse(until), Date.parse(at))}`;
}

/** Longest hold that `beckon log` leaves out, in milliseconds. */
const momentaryHoldMs = 3_000;

/** True for a line about a hold of at most three seconds. */
export function isMomentaryHold({ status, at, until = at }: JournalLine): boolean {
  return status === "held" && Date.parse(until) - Date.parse(at) <= momentaryHoldMs;
}

/** True for a line about a notifier that cannot work on this machine, such as a desktop's on a server. */
export function isUnsupported({ status, reason = "" }: Pick<JournalLine, "status" | "reason">): boolean {
  return status === "skipped" && reason.startsWith("unsupported:");
}

/** Describes the cause of a concern's resolution for people. */
export function explainResolution(resolvedBy: string): string {
  return resolutions[resolvedBy] ?? resolvedBy;
}
const resolutions: Readonly<Record<string, string>> = {
  prompt: "you typed a prompt",
  stop: "the turn ended",
  "later turn": "a later turn ended",
  "session end": "the session ended",
  result: "the request has a result",
  "went on": "the session went on",
  answered: "in the agent's dialog, as the agent says",
  "agent gone": "the agent has exited",
  seen: "you have seen it",
  allowed: "you allowed it",
  denied: "you denied it",
  sample: "it was a test message",
  forgotten: "the session was silent for a day",
};
