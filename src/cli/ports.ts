import type { Ports } from "../core/ports.ts";
import type { Paths } from "../files/paths.ts";
import { createPorts } from "../io/ports.ts";
import { createRelay } from "../relay/edge.ts";

/** The ports of this machine, with the way that events go from it to the person's own. */
export function portsOf(paths: Pick<Paths, "relay">): Ports {
  return createPorts(createRelay(paths));
}
