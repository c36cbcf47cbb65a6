import type { AgentEvent } from "../../src/core/event.ts";
import type { Message } from "../../src/core/message.ts";
import type { NotifierCall } from "../../src/core/notifier-call.ts";
import type { Ports } from "../../src/core/ports.ts";
import { createClock } from "../../src/io/clock.ts";
import { createHttp } from "../../src/io/http.ts";
import english from "../../templates/messages/en.json" with { type: "json" };

const at = "2026-11-01T00:00:00.000Z";
const said = {
  ...({ id: "evt_01", event: "Notification", agent: "droid", kind: "needs-you" } as const),
  ...{ sessionId: "s-1", project: "shop", cwd: "/code/shop", message: "Droid needs your permission" },
};

/** Rendered message, as a notifier gets it. */
const rendered = { title: "shop needs you", body: "Droid wants to run 1 tool: touch made-by-agent.txt" };
export const sampleMessage: Message = { ...said, at, ...rendered, session: { title: "Make a file" } };

/** Event of the message. */
const sampleEvent: AgentEvent = { ...said, atMs: Date.parse(at), nativeEvent: "Notification", extra: {} };

/** Makes the ports of notifiers that use only HTTP. */
export function networkPorts(clock = createClock(), http = createHttp(clock.now)): Ports {
  return { clock, http } as Partial<Ports> as Ports;
}

const refuse = () => Promise.reject(new Error("a request"));

/** Makes the ports of notifiers that are to make no request. */
export const offlinePorts = (): Ports => networkPorts(createClock(), { send: refuse, post: refuse });

/** Makes a call with ports, by default those of a notifier that uses only HTTP. */
export function networkCall<Settings>(settings: Settings, message: Partial<Message> = {}, ports = networkPorts()) {
  const call: NotifierCall<Settings> = {
    settings,
    message: { ...sampleMessage, ...message },
    view: { event: sampleEvent, facts: sampleMessage.session },
    ...{ ports, isFallback: false, labels: english.buttons, language: "en", mask: (text) => text },
    origin: "Agent: droid\nProject: shop\nFolder: /code/shop",
    ...{ remark() {}, processes: [], signal: new AbortController().signal },
  };
  return call;
}
