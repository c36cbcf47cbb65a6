import type { Message } from "../../src/core/message.ts";
import type { Ports } from "../../src/core/ports.ts";
import { createClock } from "../../src/io/clock.ts";
import { createDesktop } from "../../src/io/desktop.ts";
import { createExec } from "../../src/io/exec.ts";
import { createFiles } from "../../src/io/files.ts";
import { createSound } from "../../src/io/sound.ts";
import { createSpeech } from "../../src/io/speech.ts";
import { createTerminals } from "../../src/io/terminal.ts";
import { networkCall } from "./network-call.ts";

/** Makes a call with the real local ports of an environment, which run Linux' own programs. The other ports refuse. */
export function localCall<Settings>(settings: Settings, env: NodeJS.ProcessEnv, message: Partial<Message> = {}) {
  const refuse = () => Promise.reject(new Error("not a port of local notifiers"));
  const unknown = { typedAtMs: () => undefined, noticesKeys: () => false, findInTerminals: () => [] };
  const presence = { ask: async () => ({}), prepare() {}, ...unknown };
  const exec = createExec(env, []);
  const ports: Ports = {
    exec,
    desktop: createDesktop(exec, { env, platform: "linux" }),
    sound: createSound(exec, "linux"),
    http: { send: refuse, post: refuse },
    mail: { send: refuse, verify: refuse },
    files: { ...createFiles(), readHead: refuse, readTail: refuse },
    speech: createSpeech(exec, "linux"),
    terminal: createTerminals(exec, "linux", env),
    clock: createClock(),
    host: { elsewhere: () => undefined },
    presence,
    focus: { focus: refuse },
    relay: { send: refuse, sendStates: refuse },
  };
  return networkCall(settings, message, ports);
}
