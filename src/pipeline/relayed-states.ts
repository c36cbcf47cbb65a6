import { noteStates } from "../attention/note-states.ts";
import type { RelayedState } from "../core/relayed-state.ts";
import { changeAlert } from "./alerts.ts";
import type { RunContext } from "./context.ts";

type StatesContext = Pick<RunContext, "alerts" | "earlyEnds" | "journal" | "ports">;

/**
 * Notes what became of another machine's events, in that machine's alerts alone. The end of one that is still to come
 * is kept.
 */
export function noteRelayedStates(host: string, states: readonly RelayedState[], context: StatesContext): void {
  const known = new Set<string>();
  for (const alert of context.alerts.all().filter((one) => one.isRelayed && one.host === host)) {
    const ids = new Set(alert.concerns.map(({ id }) => id));
    const meant = states.filter(({ id }) => ids.has(id));
    for (const { id } of meant) known.add(id);
    if (meant.length > 0) changeAlert(noteStates(alert, meant), context);
  }
  const early = states.filter(({ id, state }) => state === "resolved" && !known.has(id));
  context.earlyEnds.add(
    early.map((one) => ({ ...one, host })),
    context.ports.clock.now(),
  );
}
