import type { Ports } from "../core/ports.ts";
import type { Paths } from "../files/paths.ts";
import { createPorts } from "../io/ports.ts";
import { createRelay } from "../relay/lazy-relay.ts";

/** Creates the ports of this machine, including the relay that sends events to the user's own machine. */
export function createCliPorts(paths: Pick<Paths, "relay">): Ports {
  return createPorts(createRelay(paths));
}
