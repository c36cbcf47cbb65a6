import {
  type Alert,
  acknowledged,
  type Concern,
  changeOpen,
  hasMessage,
  isOpen,
  newestMessageAtMs,
  openConcerns,
  resolved,
} from "../attention/alert.ts";
import { isSampleSession } from "../attention/session-memory.ts";
import { findSender } from "../config/notifier-entry.ts";
import type { AgentState } from "../core/agent.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { promptEvent } from "../core/vocabulary.ts";
import { findProcess } from "../files/process-table.ts";
import { readAgentState } from "../lookups/session-state.ts";
import { changeAlert } from "../pipeline/alerts.ts";
import type { RunContext } from "../pipeline/context.ts";
import { afterReading } from "../pipeline/judge.ts";
import { readOnInTime } from "../pipeline/look-up.ts";
import { newId, put } from "../spool/put.ts";
import { encodeRecord } from "../spool/record.ts";
import { change, isWithdrawn } from "./withdraw.ts";

/** Time after a request in which a key press does not count as an answer: 2 s. */
const minAnswerMs = 2_000;
/** Time from a request until the transcript contains it: 1 s. Later growth shows that the session went on. */
const baselineDelayMs = 1_000;

/**
 * True if an alert must be observed: it has a request that the user may answer without causing an event, or a turn that
 * ended recently. False for samples, and for alerts from another machine, because beckon on that machine observes them.
 */
export function isObserved(alert: Alert, nowMs: number, { config }: Pick<RunContext, "config">): boolean {
  if (alert.isRelayed || isSampleSession(alert.sessionId)) return false;
  const isAwaited = (open: Concern) => isRequest(open, nowMs, config) || isRecentEnd(open, nowMs);
  return alert.concerns.filter(isOpen).some(isAwaited) || mayOpenDialog(alert, config);
}

/** Waits that agents report by hooks. */
const reported: readonly string[] = ["permission prompt", "input needed", "worker request"];
/** Time for which a dialog must be open before the user is notified of it: 10 s. */
const dialogMs = 10_000;
/** Type of the notification about a dialog. */
const dialogType = "agent_dialog";

/** True while a turn runs whose agent says what it does, so that it can open a dialog that no hook reports. */
function mayOpenDialog(alert: Alert, { attention }: RunContext["config"]): boolean {
  if (!attention.judgeLate || alert.lastEvent !== promptEvent) return false;
  return (readAgentState(alert)?.status ?? "idle") !== "idle";
}

/**
 * Notifies the user, by an event like the agent's own, of a dialog that is open for ten seconds in the middle of a turn
 * and that no hook has reported.
 */
function reportDialog(alert: Alert, context: RunContext): void {
  if (!mayOpenDialog(alert, context.config) || openConcerns(alert).length > 0) return;
  const { status, waitingFor = "", atMs = 0 } = readAgentState(alert) ?? {};
  if (status !== "waiting" || waitingFor === "" || reported.includes(waitingFor)) return;
  if (atMs === alert.dialogAtMs || context.ports.clock.now() - atMs < dialogMs) return;
  const { agent, cwd, sessionId, transcriptPath, processes } = alert;
  const header = omitUndefined({ v: 1 as const, event: "Notification", agent, cwd, processes });
  const payload = {
    ...{ hook_event_name: "Notification", notification_type: dialogType, cwd },
    ...{ session_id: sessionId, transcript_path: transcriptPath, message: `A dialog waits for you: ${waitingFor}` },
  };
  put(context.spool, newId(), encodeRecord(header, Buffer.from(JSON.stringify(payload))), atMs);
  changeAlert({ ...alert, dialogAtMs: atMs }, context);
}

/**
 * True for a request that is still observed: as long as requests take to expire, counted from the last message about it,
 * or from the request if there is no message.
 */
function isRequest(concern: Concern, nowMs: number, { delivery }: RunContext["config"]): boolean {
  const sinceMs = Math.max(concern.atMs, newestMessageAtMs({ concerns: [concern] }));
  return concern.kind === "needs-you" && nowMs < sinceMs + delivery.expire["needs-you"];
}

/** Longest time after a turn's end in which another hook may refuse the end, so that the turn goes on: 10 minutes. */
const maxRefusalMs = 600_000;

function isRecentEnd(concern: Concern, nowMs: number): boolean {
  const { kind, event, atMs } = concern;
  return kind === "finished" && event.event === "Stop" && nowMs - atMs < maxRefusalMs && hasMessage(concern);
}

/** Time after a turn's end for which a worker stays, in case another hook refuses the end: one minute. */
const refusalWaitMs = 60_000;

/**
 * True if an alert of this machine has a message to withdraw once the user answers a request, or once a turn that has
 * just ended goes on; also during a turn whose agent may open a dialog that no hook reports.
 */
export function needsWorker(alert: Alert, nowMs: number, context: Pick<RunContext, "config">): boolean {
  if (alert.isRelayed) return false;
  if (mayOpenDialog(alert, context.config)) return true;
  const mayGoOn = (concern: Concern) => isRecentEnd(concern, nowMs) && nowMs - concern.atMs < refusalWaitMs;
  const isAwaited = (concern: Concern) =>
    isOpen(concern) && (isRequest(concern, nowMs, context.config) || mayGoOn(concern));
  return alert.concerns.some((concern) => isAwaited(concern) && canWithdraw(concern, context));
}

/** True if a visible message about a concern can be withdrawn. */
export function canWithdraw({ messages }: Concern, context: Pick<RunContext, "config">): boolean {
  return Object.entries(messages).some(([name, sent]) => {
    const configured = findSender(name, context.config.notifiers);
    const hasVerb = configured?.notifier.withdraw !== undefined && isWithdrawn(configured, context);
    return hasVerb && sent.some(({ receipt }) => receipt !== undefined);
  });
}

/**
 * Looks for signs that the user has reacted to a session's requests. A key press in the session's terminal or a growing
 * transcript acknowledges requests. A result of a request's calls, or the agent's exit, resolves the request. Also
 * resolves a turn's end if the turn went on. Runs no program.
 * @returns true if a concern was acknowledged or resolved
 */
export async function observe(alert: Alert, context: RunContext): Promise<boolean> {
  const nowMs = context.ports.clock.now();
  const sizeBytes = await context.ports.files.sizeBytes(alert.transcriptPath ?? "");
  const isAlive = isAgentAlive(alert);
  const typedAtMs = context.ports.presence.typedAtMs(alert.processes ?? []);
  const { judgeLate } = context.config.attention;
  const isRead = (concern: Concern) =>
    concern.kind === "needs-you" ? judgeLate || hasMessage(concern) : judgeLate && isRecentEnd(concern, nowMs);
  const readOn = async ({ id, event, readTo }: Concern) => [id, await readOnInTime(event, readTo, context)] as const;
  const found = new Map(await Promise.all(openConcerns(alert).filter(isRead).map(readOn)));
  const current = context.alerts.get(alert.key) ?? alert; // an event may have changed it
  const said = judgeLate ? readAgentState(current) : undefined;
  const isAlone = openConcerns(current).filter(({ kind }) => kind === "needs-you").length === 1;
  const changed = changeOpen(current, (before) => {
    const news = found.get(before.id);
    const read = news ? afterReading(before, news, nowMs) : before;
    const concern = said && isAlone && isOpen(read) ? afterAgentsWord(read, said, nowMs) : read;
    if (!isOpen(concern) || concern.kind !== "needs-you") return concern;
    if (isAlive === false && concern.wasAgentSeen) return resolved(concern, "agent gone", nowMs);
    const seen =
      typedAtMs !== undefined && typedAtMs > concern.atMs + minAnswerMs ? acknowledged(concern, typedAtMs) : concern;
    return withBaseline(seen, sizeBytes, isAlive === true, nowMs);
  });
  if (changed.concerns.some((concern, index) => concern !== current.concerns[index])) changeAlert(changed, context);
  const isNoticed = ({ state }: Concern, index: number) =>
    state === "acknowledged" && current.concerns[index]?.state !== "acknowledged";
  reportDialog(changed, context);
  await Promise.all(changed.concerns.filter(isNoticed).map((concern) => reportAcknowledged(concern, context)));
  return changed.concerns.some(({ state }, index) => state !== current.concerns[index]?.state);
}

/**
 * Resolves a session's only request once its agent stopped to wait for the user, if it was seen to wait before. A state
 * alone proves nothing, and a sub-agent's requests are not all in the state.
 */
function afterAgentsWord(concern: Concern, { status, atMs }: AgentState, nowMs: number): Concern {
  const { kind, calls, event, saidWaitingAtMs = Number.POSITIVE_INFINITY } = concern;
  const isKnown = calls.length > 0 || event.notificationType === dialogType;
  if (kind !== "needs-you" || !isKnown || calls.some((id) => id.includes("/"))) return concern;
  if (status === "waiting") return saidWaitingAtMs === atMs ? concern : { ...concern, saidWaitingAtMs: atMs };
  return atMs > saidWaitingAtMs ? resolved(concern, "answered", nowMs) : concern;
}

/**
 * Stores in a concern the size of the session's transcript, and that the agent's process is still running: one that
 * exits right after its hook is not the agent. Acknowledges the concern if the transcript has changed since the last
 * time.
 */
function withBaseline(concern: Concern, sizeBytes: number | undefined, isAlive: boolean, nowMs: number): Concern {
  if (nowMs - concern.atMs < baselineDelayMs) return concern;
  const seen = isAlive && !concern.wasAgentSeen ? { ...concern, wasAgentSeen: true as const } : concern;
  const { transcriptBytes } = seen;
  if (sizeBytes === undefined || sizeBytes === transcriptBytes) return seen;
  const noted = { ...seen, transcriptBytes: sizeBytes };
  return transcriptBytes === undefined ? noted : acknowledged(noted, nowMs);
}

/** True if the agent's process is still running; undefined if the process is unknown. */
function isAgentAlive({ processes, agentStartTicks }: Alert): boolean | undefined {
  const pid = processes?.at(-1);
  if (pid === undefined || agentStartTicks === undefined) return undefined;
  return findProcess(pid)?.startTicks === agentStartTicks;
}

/** Reports that the user has noticed an open concern, to the notifiers that support such reports. Never throws. */
async function reportAcknowledged({ event, facts, messages }: Concern, context: RunContext): Promise<void> {
  const sent = Object.entries(messages).flatMap(([name, own]) => {
    const configured = context.config.notifiers.get(name);
    const receipt = own.findLast((message) => message.receipt)?.receipt;
    return configured?.notifier.lifecycle?.notice && receipt ? [{ configured, event, facts, receipt }] : [];
  });
  await Promise.all(sent.map((message) => change("notice", message, context)));
}
