import { DeliveryError } from "../../src/core/errors.ts";
import type { Ports } from "../../src/core/ports.ts";
import { createPorts } from "../../src/io/ports.ts";

/** Makes the ports of this machine, of which the relay refuses to send. */
export function localPorts(): Ports {
  const refuse = () =>
    Promise.reject(new DeliveryError("unsupported", "this machine does not send events to another one"));
  return createPorts({ send: refuse, sendStates: refuse });
}
