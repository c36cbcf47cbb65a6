import type { Ports } from "../core/ports.ts";
import { systemClock } from "./clock.ts";
import { createDesktop } from "./desktop.ts";
import { createExec } from "./exec.ts";
import { createFiles } from "./files.ts";
import { createHttp } from "./http.ts";
import { createSound } from "./sound.ts";

/** The real world: this machine's network, programs, desktop, sound, files and clock. */
export function createPorts(): Ports {
  const exec = createExec();
  return {
    clock: systemClock,
    http: createHttp(systemClock.now),
    exec,
    desktop: createDesktop(exec),
    sound: createSound(exec),
    files: createFiles(),
  };
}
