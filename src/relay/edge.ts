import type { RelayPort } from "../core/relay-port.ts";
import type { Paths } from "../files/paths.ts";

/** Relay port that loads its code with the first event. */
export function createRelay(paths: Pick<Paths, "relay">): RelayPort {
  let opened: Promise<RelayPort> | undefined;
  const opening = () => {
    opened ??= import("./hand-over.ts").then(({ handOver }) => handOver(paths));
    return opened;
  };
  return {
    send: async (way, view) => (await opening()).send(way, view),
    tell: async (way, states) => (await opening()).tell(way, states),
  };
}
