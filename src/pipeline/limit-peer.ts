import { readAudience } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import { identifyEvent } from "../journal/journal-line.ts";
import type { RunContext } from "./context.ts";
import { reportBusyMachine } from "./notices.ts";
import { ringsPerMinute } from "./peer-rings.ts";
import type { Step } from "./route.ts";

/**
 * Drops an event's messages to people if the event is from another machine that notifies too often. Programs get every
 * event. Journals each dropped message, and sends the user at most one notice a minute.
 */
export async function limitPeer(
  event: AgentEvent,
  steps: readonly Step[],
  context: RunContext,
): Promise<readonly Step[]> {
  const { host } = event;
  const callsPerson = ({ notifier }: Step): boolean => {
    const configured = context.config.notifiers.get(notifier);
    return configured !== undefined && readAudience(configured) === "person";
  };
  const calling = new Set(steps.filter(callsPerson).map(({ notifier }) => notifier));
  if (!event.isRelayed || host === undefined || calling.size === 0) return steps;
  const verdict = context.peerRings.count(host, context.ports.clock.uptimeMs());
  if (verdict === "call") return steps;
  const reason = `${host} calls more than ${ringsPerMinute} times a minute`;
  for (const notifier of calling)
    context.journal.write({ ...identifyEvent(event), notifier, status: "skipped", reason });
  if (verdict === "first") await reportBusyMachine(host, event.atMs, context);
  return steps.filter((step) => !callsPerson(step));
}
