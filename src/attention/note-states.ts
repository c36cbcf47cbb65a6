import type { RelayedState } from "../core/relayed-state.ts";
import { promptEvent } from "../core/vocabulary.ts";
import { type Alert, acknowledged, changeOpen, resolved } from "./alert.ts";

/** An alert of another machine as it is after what that machine told of its events. */
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
