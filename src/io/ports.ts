import type { Ports, RelayPort } from "../core/ports.ts";
import { createClock } from "./clock.ts";
import { createDesktop } from "./desktop.ts";
import { createExec } from "./exec.ts";
import { createFiles } from "./files.ts";
import { createHost } from "./host.ts";
import { createHttp } from "./http.ts";
import { createMail } from "./mail.ts";
import { createPresence } from "./presence/presence.ts";
import { createSound } from "./sound.ts";
import { createSpeech } from "./speech.ts";
import { createTerminals } from "./terminal.ts";

/** Creates all ports of this machine. @param relay port that sends events to the user's own machine */
export function createPorts(relay: RelayPort): Ports {
  const clock = createClock();
  const exec = createExec();
  return {
    clock,
    http: createHttp(clock.now),
    mail: createMail(),
    exec,
    desktop: createDesktop(exec),
    sound: createSound(exec),
    speech: createSpeech(exec),
    terminal: createTerminals(exec),
    files: createFiles(),
    host: createHost(),
    presence: createPresence(exec),
    focus: { focus: async (...request) => (await import("./focus/focus.ts")).createFocus(exec).focus(...request) },
    relay,
  };
}
