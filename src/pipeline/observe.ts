import { type Alert, acknowledged, type Concern, changeOpen, isOpen, resolved } from "../attention/alert.ts";
import { resolvedByCalls } from "../attention/note-event.ts";
import type { FoundFacts } from "../core/facts.ts";
import { findProcess } from "../core/process-table.ts";
import { changeAlert } from "./alerts.ts";
import type { RunContext } from "./context.ts";
import { lookUp } from "./look-up.ts";

/** A key that is pressed so shortly after a request was not pressed in answer to it. */
const answerMs = 2_000;
/** When the transcript has what belongs to the request itself. */
const baselineMs = 1_000;

/** Whether an alert has a request that the person may answer without an event: its signs are looked for. */
export function isObserved(alert: Alert, nowMs: number, { config }: Pick<RunContext, "config">): boolean {
  return alert.concerns.some((one) => isOpen(one) && one.kind === "needs-you" && nowMs < observedUntilMs(one, config));
}

/** Whether an alert is worth staying for: a message of it stands that can be taken back once it is answered. */
export function isWorthStaying(alert: Alert, nowMs: number, context: Pick<RunContext, "config">): boolean {
  if (!context.config.attention.withdraw || !isObserved(alert, nowMs, context)) return false;
  const messages = alert.concerns.filter(isOpen).flatMap(({ told }) => Object.entries(told));
  return messages.some(
    ([notifier, told]) =>
      context.config.notifiers.get(notifier)?.notifier.withdraw !== undefined &&
      told.some(({ receipt }) => receipt !== undefined),
  );
}

/** No longer than it is worth telling: after the last message, or after the request while none was sent. */
function observedUntilMs({ atMs, told }: Concern, { delivery }: RunContext["config"]): number {
  return (
    Math.max(
      atMs,
      ...Object.values(told)
        .flat()
        .map((one) => one.atMs),
    ) + delivery.expire["needs-you"]
  );
}

/**
 * Looks for signs that the person has reacted to a session's requests: a key pressed at its terminal acknowledges them, as
 * a transcript that grows does; what resolves them is a result of their own calls, or the agent's end. Asks no program.
 * @returns whether a request is acknowledged or over that was not before
 */
export async function observe(alert: Alert, context: RunContext): Promise<boolean> {
  const nowMs = context.ports.clock.now();
  const sizeBytes = await context.ports.files.sizeBytes(alert.transcriptPath ?? "");
  const isGone = hasAgentEnded(alert);
  const typedAtMs = context.ports.presence.typedAtMs(alert.processes ?? []);
  const facts = hasGrown(alert, sizeBytes) ? await factsOf(alert, context) : undefined;
  const current = context.alerts.get(alert.key) ?? alert; // an event may have come meanwhile
  const changed = changeOpen(current, (concern) => {
    if (concern.kind !== "needs-you") return concern;
    const by = isGone ? "agent gone" : facts && resolvedByCalls(concern, facts);
    if (by !== undefined) return resolved(concern, by, nowMs);
    const seen =
      typedAtMs !== undefined && typedAtMs > concern.atMs + answerMs ? acknowledged(concern, typedAtMs) : concern;
    return withTranscript(seen, sizeBytes, nowMs);
  });
  if (changed.concerns.some((one, index) => one !== current.concerns[index])) changeAlert(changed, context);
  return changed.concerns.some(({ state }, index) => state !== current.concerns[index]?.state);
}

/** A concern with the transcript's size: the first one is what it grows from. */
function withTranscript(concern: Concern, sizeBytes: number | undefined, nowMs: number): Concern {
  const { transcriptBytes } = concern;
  if (sizeBytes === undefined || sizeBytes === transcriptBytes || nowMs - concern.atMs < baselineMs) return concern;
  const noted = { ...concern, transcriptBytes: sizeBytes };
  return transcriptBytes === undefined ? noted : acknowledged(noted, nowMs);
}

function hasGrown({ concerns }: Alert, sizeBytes: number | undefined): boolean {
  const sizes = concerns.filter(isOpen).flatMap(({ transcriptBytes }) => transcriptBytes ?? []);
  return sizeBytes !== undefined && sizes.some((one) => one !== sizeBytes);
}

function hasAgentEnded({ processes, agentStartTicks }: Alert): boolean {
  const pid = processes?.at(-1);
  if (pid === undefined || agentStartTicks === undefined) return false;
  return findProcess(pid)?.startTicks !== agentStartTicks;
}

async function factsOf(alert: Alert, context: RunContext): Promise<FoundFacts> {
  const last = alert.concerns.findLast(isOpen);
  if (!last) return {};
  const lookups = context.config.lookups.filter((name) => name === "transcript");
  return (await lookUp(last.event, { ...context, config: { ...context.config, lookups } })).facts;
}
