import type { RelayedState } from "../core/relayed-state.ts";
import { promptEvent } from "../core/vocabulary.ts";
import { type Alert, acknowledged, changeOpen, resolved } from "./alert.ts";

/** Updates the alert of another machine's session with the states that the machine reported. */
export function noteStates(alert: Alert, states: readonly RelayedState[]): Alert {
  const changed = changeOpen(alert, (concern) => {
    const reported = states.findLast(({ id }) => id === concern.id);
    if (!reported) return concern;
    const atMs = Math.max(reported.atMs, concern.atMs);
    return reported.state === "noticed" ? acknowledged(concern, atMs) : resolved(concern, reported.by ?? "seen", atMs);
  });
  const promptedAtMs = Math.max(0, ...states.filter(({ by }) => by === "prompt").map(({ atMs }) => atMs));
  if (promptedAtMs <= changed.lastAtMs) return changed;
  return { ...changed, promptedAtMs, lastAtMs: promptedAtMs, lastEvent: promptEvent };
}
