import {
  type Alert,
  acknowledged,
  type Concern,
  changeOpen,
  hasMessage,
  isOpen,
  resolved,
} from "../attention/alert.ts";
import { resolvedByCalls } from "../attention/note-event.ts";
import { type FoundFacts, hasWorkedSince } from "../core/facts.ts";
import { findProcess } from "../files/process-table.ts";
import { changeAlert } from "../pipeline/alerts.ts";
import type { RunContext } from "../pipeline/context.ts";
import { readTranscript } from "../pipeline/look-up.ts";
import { change } from "./change.ts";
import { isWithdrawn } from "./withdraw.ts";

/** Parts of the context that this step uses. */
type StepContext = Pick<RunContext, "alerts" | "journal" | "config" | "ports" | "keepSecret">;

/** A key that is pressed so shortly after a request was not pressed in answer to it. */
const answerMs = 2_000;
/** When the transcript has what belongs to the request itself. */
const baselineMs = 1_000;

/**
 * Whether an alert has a request that the person may answer without an event: its signs are looked for. There are none
 * here of what goes on at another machine, whose beckon tells of it.
 */
export function isObserved(alert: Alert, nowMs: number, { config }: Pick<RunContext, "config">): boolean {
  if (alert.isRelayed) return false;
  return alert.concerns.filter(isOpen).some((open) => isRequest(open, nowMs, config) || isNewEnd(open, nowMs));
}

function isRequest(concern: Concern, nowMs: number, config: RunContext["config"]): boolean {
  return concern.kind === "needs-you" && nowMs < observedUntilMs(concern, config);
}

/** Longest time after which another hook may refuse the end of a turn, so that it goes on: 10 minutes. */
const refusalMs = 600_000;

function isNewEnd(concern: Concern, nowMs: number): boolean {
  const { kind, event, atMs } = concern;
  return kind === "finished" && event.event === "Stop" && nowMs - atMs < refusalMs && hasMessage(concern);
}

/** Whether an alert is worth staying for: a message of it stands that can be taken back once it is answered. */
export function isWorthStaying(alert: Alert, nowMs: number, context: Pick<RunContext, "config">): boolean {
  if (alert.isRelayed) return false;
  const requests = alert.concerns.filter((concern) => isOpen(concern) && isRequest(concern, nowMs, context.config));
  return requests.some((concern) => canWithdraw(concern, context));
}

/** Tells if a visible message of a concern can be withdrawn. */
export function canWithdraw({ messages }: Concern, context: Pick<RunContext, "config">): boolean {
  return Object.entries(messages).some(([name, sent]) => {
    const configured = context.config.notifiers.get(name);
    const hasVerb = configured?.notifier.withdraw !== undefined && isWithdrawn(configured, context);
    return hasVerb && sent.some(({ receipt }) => receipt !== undefined);
  });
}

/** No longer than it is worth telling: after the last message, or after the request while none was sent. */
function observedUntilMs({ atMs, messages }: Concern, { delivery }: RunContext["config"]): number {
  return (
    Math.max(
      atMs,
      ...Object.values(messages)
        .flat()
        .map((one) => one.atMs),
    ) + delivery.expire["needs-you"]
  );
}

/**
 * Looks for signs that the person has reacted to a session's requests: a key pressed at its terminal acknowledges them,
 * as a transcript that grows does; what resolves them is a result of their own calls, or the agent's end. Asks no
 * program.
 * @returns whether a request is acknowledged or over that was not before
 */
export async function observe(alert: Alert, context: StepContext): Promise<boolean> {
  const nowMs = context.ports.clock.now();
  const sizeBytes = await context.ports.files.sizeBytes(alert.transcriptPath ?? "");
  const isAlive = isAgentAlive(alert);
  const typedAtMs = context.ports.presence.typedAtMs(alert.processes ?? []);
  const last = alert.concerns.findLast(isOpen);
  const isRead = last !== undefined && mayHaveAnswers(alert, sizeBytes);
  const facts = isRead ? await readTranscript(last.event, context) : undefined;
  const current = context.alerts.get(alert.key) ?? alert; // an event may have come meanwhile
  const changed = changeOpen(current, (concern) => {
    if (concern.kind === "finished") return afterEnd(concern, sizeBytes, facts, context);
    if (concern.kind !== "needs-you") return concern;
    const by =
      isAlive === false && concern.wasAgentSeen ? "agent gone" : facts && resolvedByCalls(concern.calls, facts);
    if (by !== undefined) return resolved(concern, by, nowMs);
    const seen =
      typedAtMs !== undefined && typedAtMs > concern.atMs + answerMs ? acknowledged(concern, typedAtMs) : concern;
    return withBaseline(seen, { sizeBytes, isAlive: isAlive === true }, nowMs);
  });
  if (changed.concerns.some((one, index) => one !== current.concerns[index])) changeAlert(changed, context);
  const isNoticed = ({ state }: Concern, index: number) =>
    state === "acknowledged" && current.concerns[index]?.state !== "acknowledged";
  await Promise.all(changed.concerns.filter(isNoticed).map((one) => reportAcknowledged(one, context)));
  return changed.concerns.some(({ state }, index) => state !== current.concerns[index]?.state);
}

/** The end of a turn, resolved if the transcript shows work after it; else with the size from which that grows. */
function afterEnd(
  concern: Concern,
  sizeBytes: number | undefined,
  facts: FoundFacts | undefined,
  context: StepContext,
) {
  const nowMs = context.ports.clock.now();
  if (!context.config.attention.judgeLate || !isNewEnd(concern, nowMs)) return concern;
  if (facts?.work && hasWorkedSince(concern.atMs, facts.work)) return resolved(concern, "went on", nowMs);
  const isNoted = sizeBytes === undefined || nowMs - concern.atMs < baselineMs;
  return isNoted ? concern : { ...concern, transcriptBytes: sizeBytes };
}

/** What there was to see a moment after the request: later looks are compared with it. */
interface Sight {
  readonly sizeBytes: number | undefined;
  /** Whether the agent's process ran still: one that has run the hook for it and ended at once is not the agent. */
  readonly isAlive: boolean;
}

/** A concern with what can be seen of its agent now; the transcript's first size is what it grows from. */
function withBaseline(concern: Concern, { sizeBytes, isAlive }: Sight, nowMs: number): Concern {
  if (nowMs - concern.atMs < baselineMs) return concern;
  const seen = isAlive && !concern.wasAgentSeen ? { ...concern, wasAgentSeen: true as const } : concern;
  const { transcriptBytes } = seen;
  if (sizeBytes === undefined || sizeBytes === transcriptBytes) return seen;
  const noted = { ...seen, transcriptBytes: sizeBytes };
  return transcriptBytes === undefined ? noted : acknowledged(noted, nowMs);
}

/** Returns true if the transcript has grown, or if its first size is not noted yet: it may have the answer by then. */
function mayHaveAnswers({ concerns }: Alert, sizeBytes: number | undefined): boolean {
  return (
    sizeBytes !== undefined && concerns.filter(isOpen).some(({ transcriptBytes }) => transcriptBytes !== sizeBytes)
  );
}

/** Whether the agent's process still runs; undefined where it is not known which one it is. */
function isAgentAlive({ processes, agentStartTicks }: Alert): boolean | undefined {
  const pid = processes?.at(-1);
  if (pid === undefined || agentStartTicks === undefined) return undefined;
  return findProcess(pid)?.startTicks === agentStartTicks;
}

/**
 * Tells those that want to know of it that the person was seen to react to something that is open still. Never throws.
 */
async function reportAcknowledged({ event, facts, messages }: Concern, context: StepContext): Promise<void> {
  const sent = Object.entries(messages).flatMap(([name, own]) => {
    const configured = context.config.notifiers.get(name);
    const receipt = own.findLast((message) => message.receipt)?.receipt;
    return configured?.notifier.lifecycle?.notice && receipt ? [{ configured, event, facts, receipt }] : [];
  });
  await Promise.all(sent.map((one) => change("notice", one, context)));
}
