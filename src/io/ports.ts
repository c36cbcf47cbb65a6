import { DeliveryError } from "../core/errors.ts";
import type { Ports } from "../core/ports.ts";
import { systemClock } from "./clock.ts";
import { createFiles } from "./files.ts";
import { createHttp } from "./http.ts";

export function createPorts(): Ports {
  const no = async (): Promise<never> => {
    throw new DeliveryError("unsupported", "not yet");
  };
  return {
    clock: systemClock,
    http: createHttp(),
    exec: { run: no, which: () => undefined },
    desktop: { notify: no },
    sound: { play: no },
    files: createFiles(),
  };
}
