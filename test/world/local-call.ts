import type { AgentEvent } from "../../src/core/event.ts";
import type { Message } from "../../src/core/message.ts";
import type { NotifierCall } from "../../src/core/notifier-call.ts";
import type { Ports } from "../../src/core/ports.ts";
import { createClock } from "../../src/io/clock.ts";
import { createDesktop } from "../../src/io/desktop.ts";
import { createExec } from "../../src/io/exec.ts";
import { createFiles } from "../../src/io/files.ts";
import { createSound } from "../../src/io/sound.ts";
import { createSpeech } from "../../src/io/speech.ts";
import { createTerminals } from "../../src/io/terminal.ts";
import english from "../../templates/messages/en.json" with { type: "json" };

const at = "2026-11-01T00:00:00.000Z";
const said = {
  id: "evt_01",
  event: "Notification",
  agent: "droid",
  kind: "needs-you",
  sessionId: "s-1",
  project: "shop",
  cwd: "/code/shop",
  message: "Droid needs your permission",
} as const;

/** Rendered message, as a notifier gets it. */
export const sampleMessage: Message = {
  ...said,
  at,
  title: "shop needs you",
  body: "Droid wants to run 1 tool: touch made-by-agent.txt",
  session: { title: "Make a file" },
};

/** Event of the message. */
const sampleEvent: AgentEvent = { ...said, atMs: Date.parse(at), nativeEvent: "Notification", extra: {} };

/** Makes a call with the real local ports of an environment, which run Linux' own programs. The other ports refuse. */
export function localCall<Settings>(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  message: Partial<Message> = {},
): NotifierCall<Settings> {
  const refuse = () => Promise.reject(new Error("not a port of local notifiers"));
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
    presence: {
      ask: async () => ({}),
      prepare() {},
      typedAtMs: () => undefined,
      noticesKeys: () => false,
      findInTerminals: () => [],
    },
    focus: { focus: refuse },
    relay: { send: refuse, sendStates: refuse },
  };
  return {
    settings,
    message: { ...sampleMessage, ...message },
    view: { event: sampleEvent, facts: sampleMessage.session },
    ports,
    isFallback: false,
    labels: english.buttons,
    language: "en",
    origin: "Agent: droid\nProject: shop\nFolder: /code/shop",
    mask: (text) => text,
    remark() {},
    processes: [],
    signal: new AbortController().signal,
  };
}
