import { type Alert, type Concern, isOpen } from "../attention/alert.ts";
import { noteEvent } from "../attention/note-event.ts";
import { threadKey } from "../attention/thread-key.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts } from "../core/facts.ts";
import type { Receipt } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { findProcess } from "../core/process-table.ts";
import type { RunContext } from "./context.ts";
import { identityOf } from "./journal-line.ts";

type AlertContext = Pick<RunContext, "alerts" | "journal" | "ports">;

/** Notes an event in its session's alert, and journals what it resolves. Returns the alert. */
export function noteInAlert(event: AgentEvent, facts: FoundFacts, context: AlertContext): Alert | undefined {
  const known = context.alerts.get(threadKey(event));
  if (event.skip !== undefined) return known;
  const agentProcess = event.processes?.at(-1);
  const startTicks = agentProcess === undefined ? undefined : findProcess(agentProcess)?.startTicks;
  const noted = noteEvent(known, event, facts, context.ports.clock.now(), startTicks);
  changeAlert(noted, context);
  return noted;
}

/** Keeps an alert that has changed, and journals which of its concerns are over now. */
export function changeAlert(alert: Alert, { alerts, journal }: Pick<AlertContext, "alerts" | "journal">): void {
  const before = alerts.get(alert.key)?.concerns ?? [];
  const wasOpen = new Set(before.filter(isOpen).map(({ id }) => id));
  for (const concern of alert.concerns) if (!isOpen(concern) && wasOpen.has(concern.id)) writeEnd(concern, journal);
  alerts.put(alert);
}

function writeEnd({ event, atMs, resolvedAtMs = atMs, resolvedBy }: Concern, journal: RunContext["journal"]): void {
  const waitedMs = Math.max(0, resolvedAtMs - atMs);
  journal.write({ ...identityOf(event), status: "resolved", ...omitUndefined({ resolvedBy }), waitedMs });
}

/** What an event raised, as it is now; undefined where it raised nothing, or where that is forgotten. */
export function concernOf(event: AgentEvent, { alerts }: Pick<RunContext, "alerts">): Concern | undefined {
  return alerts.get(threadKey(event))?.concerns.find(({ id }) => id === event.id);
}

/** The receipt of the session's message that stands at a notifier, where it tells of this session alone. */
export function previousReceipt(event: AgentEvent, notifier: string, context: Pick<RunContext, "alerts">) {
  const told = context.alerts.get(threadKey(event))?.concerns.flatMap((one) => one.told[notifier] ?? []) ?? [];
  const last = told
    .filter(({ receipt }) => receipt !== undefined)
    .sort((a, b) => a.atMs - b.atMs)
    .at(-1);
  const isShared =
    last && concernsTold(notifier, last.group, context).some((one) => threadKey(one.event) !== threadKey(event));
  return isShared ? undefined : last?.receipt;
}

/** All concerns that a notifier's message tells of. */
export function concernsTold(notifier: string, group: string, { alerts }: Pick<RunContext, "alerts">): Concern[] {
  return alerts.all().flatMap(({ concerns }) => concerns.filter(({ told }) => told[notifier]?.group === group));
}

/**
 * Notes that a notifier has told of events, in one message. A message that takes the place of the session's earlier one
 * stands for what that told of, too.
 */
export function markTold(
  events: readonly AgentEvent[],
  {
    notifier,
    receipt,
    replaces,
  }: { readonly notifier: string; readonly receipt: Receipt | undefined; readonly replaces: boolean },
  { alerts, ports }: Pick<RunContext, "alerts" | "ports">,
): void {
  const [first] = events;
  if (!first) return;
  const told = { group: first.id, atMs: ports.clock.now(), ...omitUndefined({ receipt: receipt && { ...receipt } }) };
  const mark = (concern: Concern): Concern => {
    const { [notifier]: earlier, ...others } = concern.told;
    const isTold = events.some(({ id }) => id === concern.id);
    if (!isTold && !(replaces && earlier && events.length === 1)) return concern;
    if (!isOpen(concern) && !isTold) return { ...concern, told: others };
    const state = isTold && concern.state === "pending" ? "ringing" : concern.state;
    return { ...concern, state, told: { ...others, [notifier]: told } };
  };
  for (const key of new Set(events.map(threadKey))) {
    const alert = alerts.get(key);
    if (alert) alerts.put({ ...alert, concerns: alert.concerns.map(mark) });
  }
}
