import { once } from "../core/once.ts";
import type { RelayPort } from "../core/ports.ts";
import type { Paths } from "../files/paths.ts";

/** Creates a relay port that loads its code for the first event. */
export function createRelay(paths: Pick<Paths, "relay">): RelayPort {
  const loadRelay = once(async () => (await import("./outgoing-relay.ts")).createOutgoingRelay(paths));
  return {
    send: async (transport, view) => (await loadRelay()).send(transport, view),
    sendStates: async (transport, states) => (await loadRelay()).sendStates(transport, states),
  };
}
