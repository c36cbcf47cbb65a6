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

type StepContext = Pick<RunContext, "alerts" | "journal" | "config" | "ports" | "keepSecret">;

/** Key presses within 2 s of a request do not count as an answer. */
const minAnswerMs = 2_000;
/** Time after which the transcript includes the request itself. */
const baselineDelayMs = 1_000;

/**
 * True if an alert has a request that the user may answer without an event, or the recent end of a turn. Another
 * machine's alerts are left to that machine's beckon.
 */
export function isObserved(alert: Alert, nowMs: number, { config }: Pick<RunContext, "config">): boolean {
  if (alert.isRelayed) return false;
  return alert.concerns.filter(isOpen).some((open) => isRequest(open, nowMs, config) || isRecentEnd(open, nowMs));
}

function isRequest(concern: Concern, nowMs: number, config: RunContext["config"]): boolean {
  return concern.kind === "needs-you" && nowMs < observedUntilMs(concern, config);
}

/** Longest time in which another hook may refuse the end of a turn and make it go on: 10 minutes. */
const maxRefusalMs = 600_000;

function isRecentEnd(concern: Concern, nowMs: number): boolean {
  const { kind, event, atMs } = concern;
  return kind === "finished" && event.event === "Stop" && nowMs - atMs < maxRefusalMs && hasMessage(concern);
}

/** True if an alert has a visible message that can be withdrawn once it is answered. */
export function needsWorker(alert: Alert, nowMs: number, context: Pick<RunContext, "config">): boolean {
  if (alert.isRelayed) return false;
  const requests = alert.concerns.filter((concern) => isOpen(concern) && isRequest(concern, nowMs, context.config));
  return requests.some((concern) => canWithdraw(concern, context));
}

/** True if a visible message of a concern can be withdrawn. */
export function canWithdraw({ messages }: Concern, context: Pick<RunContext, "config">): boolean {
  return Object.entries(messages).some(([name, sent]) => {
    const configured = context.config.notifiers.get(name);
    const hasVerb = configured?.notifier.withdraw !== undefined && isWithdrawn(configured, context);
    return hasVerb && sent.some(({ receipt }) => receipt !== undefined);
  });
}

/** Returns the end of observation: the expiry, counted from the last message or, without one, from the request. */
function observedUntilMs({ atMs, messages }: Concern, { delivery }: RunContext["config"]): number {
  return (
    Math.max(
      atMs,
      ...Object.values(messages)
        .flat()
        .map((message) => message.atMs),
    ) + delivery.expire["needs-you"]
  );
}

/**
 * Looks for signs that the user has reacted to a session's requests. A key press at its terminal or a growing
 * transcript acknowledges them. A result of their own calls, or the agent's exit, resolves them. Runs no program.
 * @returns true if a request was acknowledged or resolved
 */
export async function observe(alert: Alert, context: StepContext): Promise<boolean> {
  const nowMs = context.ports.clock.now();
  const sizeBytes = await context.ports.files.sizeBytes(alert.transcriptPath ?? "");
  const isAlive = isAgentAlive(alert);
  const typedAtMs = context.ports.presence.typedAtMs(alert.processes ?? []);
  const last = alert.concerns.findLast(isOpen);
  const isRead = last !== undefined && mayHaveAnswers(alert, sizeBytes);
  const facts = isRead ? await readTranscript(last.event, context) : undefined;
  const current = context.alerts.get(alert.key) ?? alert; // an event may have changed it
  const changed = changeOpen(current, (concern) => {
    if (concern.kind === "finished") return observeEnd(concern, sizeBytes, facts, context);
    if (concern.kind !== "needs-you") return concern;
    const by =
      isAlive === false && concern.wasAgentSeen ? "agent gone" : facts && resolvedByCalls(concern.calls, facts);
    if (by !== undefined) return resolved(concern, by, nowMs);
    const seen =
      typedAtMs !== undefined && typedAtMs > concern.atMs + minAnswerMs ? acknowledged(concern, typedAtMs) : concern;
    return withBaseline(seen, { sizeBytes, isAlive: isAlive === true }, nowMs);
  });
  if (changed.concerns.some((concern, index) => concern !== current.concerns[index])) changeAlert(changed, context);
  const isNoticed = ({ state }: Concern, index: number) =>
    state === "acknowledged" && current.concerns[index]?.state !== "acknowledged";
  await Promise.all(changed.concerns.filter(isNoticed).map((concern) => reportAcknowledged(concern, context)));
  return changed.concerns.some(({ state }, index) => state !== current.concerns[index]?.state);
}

/** Resolves the end of a turn if the transcript shows later work; otherwise notes the transcript's size. */
function observeEnd(
  concern: Concern,
  sizeBytes: number | undefined,
  facts: FoundFacts | undefined,
  context: StepContext,
) {
  const nowMs = context.ports.clock.now();
  if (!context.config.attention.judgeLate || !isRecentEnd(concern, nowMs)) return concern;
  if (facts?.work && hasWorkedSince(concern.atMs, facts.work)) return resolved(concern, "went on", nowMs);
  const isNoted = sizeBytes === undefined || nowMs - concern.atMs < baselineDelayMs;
  return isNoted ? concern : { ...concern, transcriptBytes: sizeBytes };
}

/** Observations shortly after a request, to compare later ones with. */
interface Observation {
  readonly sizeBytes: number | undefined;
  /** True if the agent's process still ran. A process that exited right after running the hook is not the agent. */
  readonly isAlive: boolean;
}

/** Notes the observations of a concern. Growth beyond the first transcript size acknowledges it. */
function withBaseline(concern: Concern, { sizeBytes, isAlive }: Observation, nowMs: number): Concern {
  if (nowMs - concern.atMs < baselineDelayMs) return concern;
  const seen = isAlive && !concern.wasAgentSeen ? { ...concern, wasAgentSeen: true as const } : concern;
  const { transcriptBytes } = seen;
  if (sizeBytes === undefined || sizeBytes === transcriptBytes) return seen;
  const noted = { ...seen, transcriptBytes: sizeBytes };
  return transcriptBytes === undefined ? noted : acknowledged(noted, nowMs);
}

/** True if the transcript has grown, or if its first size is not noted yet: in both cases it may have the answer. */
function mayHaveAnswers({ concerns }: Alert, sizeBytes: number | undefined): boolean {
  return (
    sizeBytes !== undefined && concerns.filter(isOpen).some(({ transcriptBytes }) => transcriptBytes !== sizeBytes)
  );
}

/** True if the agent's process still runs; undefined if that process is unknown. */
function isAgentAlive({ processes, agentStartTicks }: Alert): boolean | undefined {
  const pid = processes?.at(-1);
  if (pid === undefined || agentStartTicks === undefined) return undefined;
  return findProcess(pid)?.startTicks === agentStartTicks;
}

/** Sends a notice that the user has noticed an open concern, to notifiers that support it. Never throws. */
async function reportAcknowledged({ event, facts, messages }: Concern, context: StepContext): Promise<void> {
  const sent = Object.entries(messages).flatMap(([name, own]) => {
    const configured = context.config.notifiers.get(name);
    const receipt = own.findLast((message) => message.receipt)?.receipt;
    return configured?.notifier.lifecycle?.notice && receipt ? [{ configured, event, facts, receipt }] : [];
  });
  await Promise.all(sent.map((message) => change("notice", message, context)));
}
