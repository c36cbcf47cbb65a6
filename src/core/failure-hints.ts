import type { FailureReason } from "./errors.ts";

/** Advice for each failure reason, used if a failure has no hint of its own. */
export const failureHints: Readonly<Record<FailureReason, string>> = {
  auth: "Check its address and its secret in the configuration.",
  "rate-limited": "The receiver accepts no more messages for now; try again later.",
  rejected: "The receiver does not accept this message; check the notifier's settings in the configuration.",
  redirect: "Put the new address into the configuration.",
  unavailable: "Can the receiver be reached from this machine? Real events are retried automatically.",
  timeout: "Can the receiver be reached from this machine? Real events are retried automatically.",
  unsupported: "It cannot work on this machine. Remove it from the configuration, or keep it: events skip it.",
  bug: "This is a bug in beckon; please report it.",
};

/** Returns the advice for a journal line that begins with a failure reason: `auth: …`. Undefined for other lines. */
export function hintFor(reason: string): string | undefined {
  const [, word = ""] = /^([a-z-]+):/.exec(reason) ?? [];
  return Object.hasOwn(failureHints, word) ? failureHints[word as FailureReason] : undefined;
}
