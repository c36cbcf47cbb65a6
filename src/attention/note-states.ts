import type { RelayedState } from "../core/relayed-state.ts";
import { promptEvent } from "../core/vocabulary.ts";
import { type Alert, acknowledged, changeOpen, resolved } from "./alert.ts";

/** Applies states that another machine sent to its alert. */
export function noteStates(alert: Alert, states: readonly RelayedState[]): Alert {
  const changed = changeOpen(alert, (concern) => {
    const told = states.findLast(({ id }) => id === concern.id);
    if (!told) return concern;
    const atMs = Math.max(told.atMs, concern.atMs);
    return told.state === "noticed" ? acknowledged(concern, atMs) : resolved(concern, told.by ?? "seen", atMs);
  });
  const promptedAtMs = Math.max(0, ...states.filter(({ by }) => by === "prompt").map(({ atMs }) => atMs));
  if (promptedAtMs <= changed.lastAtMs) return changed;
  return { ...changed, promptedAtMs, lastAtMs: promptedAtMs, lastEvent: promptEvent };
}
