import { Alerts, alertFolder } from "../attention/alert-files.ts";
import { threadKey } from "../attention/session-keys.ts";
import { sampleSessionPrefix } from "../attention/session-memory.ts";
import { loadCatalogue } from "../config/catalogues.ts";
import type { Config, ConfiguredNotifier } from "../config/config.ts";
import { failureHints } from "../core/errors.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Receipt } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { ClockPort, Ports } from "../core/ports.ts";
import { redactor } from "../core/redactor.ts";
import { recordedTerminal } from "../core/terminal-environment.ts";
import type { Paths } from "../files/paths.ts";
import { openJournal } from "../journal/journal.ts";
import { identifyEvent } from "../journal/journal-line.ts";
import { attempt } from "../pipeline/attempt.ts";
import { NotifierQueues } from "../pipeline/notifier-queue.ts";
import { newId } from "../spool/put.ts";
import { wake } from "../spool/wake.ts";
import { cut } from "../text/cut.ts";
import type { Ability } from "./assess-notifiers.ts";

const maxSaidChars = 2_000;

/** Result of a test message. */
export interface TestResult {
  readonly name: string;
  readonly verdict: "sent" | "skipped" | "failed";
  /** Time of the attempt, in whole milliseconds; absent if none was made. */
  readonly tookMs?: number;
  /** Why the message was not sent, or what it lacks. */
  readonly reason?: string;
  readonly hint?: string;
  /** Output of a custom program or module that failed; several lines. */
  readonly said?: string;
}

/** Describes a test's time and reason for people, such as `12 ms, unsupported: …`. */
export function describeTest({ tookMs, reason }: TestResult): string {
  return [tookMs === undefined ? [] : `${tookMs} ms`, reason ?? []].flat().join(", ");
}

/**
 * Sends a test message through one notifier now. After a success, the notifier is no longer recorded as broken. If the
 * notifier can remove messages, the worker withdraws the message ten seconds later.
 * @param ability assessment of the notifier, by `assessNotifiers`
 */
export async function testNotifier(
  { name, configured, verdict, reason = "", cure: hint = "" }: Ability,
  config: Config,
  ports: Ports,
  paths: Paths,
): Promise<TestResult> {
  if (!configured) return { name, verdict: "failed", reason: `not usable: ${reason}`, hint };
  const { event, result, receipt } = await sendTest(configured, config, ports);
  if (result.verdict === "sent") {
    new NotifierQueues(paths, ports.clock).of(name).forgetBroken();
    const sessionId = sampleSessionPrefix + event.id;
    openJournal(paths.journal, ports.clock.now).write({
      ...identifyEvent({ ...event, sessionId }),
      ...{ notifier: name, attempt: 1, status: "sent" },
    });
  }
  if (receipt) await withdrawLater(event, { notifier: name, receipt }, paths, ports.clock);
  const isLimited = result.verdict === "sent" && verdict === "limited";
  return isLimited ? { ...result, reason: [result.reason ?? [], reason].flat().join(", "), hint } : result;
}

/** Sends a test message through one notifier now. Returns the receipt if the notifier can remove the message. */
export async function sendTest(
  configured: ConfiguredNotifier,
  config: Config,
  ports: Ports,
): Promise<{ readonly event: AgentEvent; readonly result: TestResult; readonly receipt?: Receipt }> {
  const { name } = configured;
  const secrets = new Set<string>();
  const keepSecret = (values: readonly string[]): void => values.forEach((value) => void secrets.add(value));
  const startedAtMs = performance.now();
  const { notices } = await loadCatalogue(configured.language ?? config.language);
  const event = buildTestEvent(notices.test);
  const { failure, note, receipt } = await attempt({ event, facts: {}, configured }, { config, ports, keepSecret });
  const tookMs = Math.round(performance.now() - startedAtMs);
  const redact = redactor(secrets);
  if (!failure) {
    const isRemoved = receipt && configured.notifier.lifecycle?.withdrawn === "removed";
    const result = { name, verdict: "sent", tookMs, ...omitUndefined({ reason: note && redact(note) }) } as const;
    return { event, result, ...(isRemoved && { receipt }) };
  }
  const { hint = failureHints[failure.reason] } = failure;
  const verdict = failure.reason === "unsupported" ? "skipped" : "failed";
  const reason = redact(`${failure.reason}: ${failure.message}`);
  const said = failure.said && { said: cut(redact(failure.said), maxSaidChars, "utf16") };
  return { event, result: { name, verdict, tookMs, reason, hint: redact(hint), ...said } };
}

function buildTestEvent(message: string): AgentEvent {
  return {
    id: newId(),
    atMs: Date.now(),
    event: "Notification",
    nativeEvent: "Notification",
    agent: "beckon",
    kind: "needs-you",
    project: "beckon",
    message,
    // The `terminal` notifier then writes to this process's terminal.
    processes: [process.pid],
    ...omitUndefined({ terminal: recordedTerminal(process.env) }),
    extra: {},
  };
}

/** Makes the worker withdraw a test message after ten seconds. If no worker is installed, the message stays. */
async function withdrawLater(
  { agent, id, kind, project, ...event }: AgentEvent,
  { notifier, receipt }: { readonly notifier: string; readonly receipt: Receipt },
  paths: Paths,
  clock: ClockPort,
): Promise<void> {
  const nowMs = clock.now();
  const session = { agent, sessionId: sampleSessionPrefix + id };
  const key = threadKey(session);
  const shown = { ...event, ...session, id, kind, project };
  const message = { group: id, receipt: { ...receipt }, atMs: nowMs };
  const request = { id, atMs: nowMs, kind, state: "ringing", calls: [], facts: {}, event: shown } as const;
  const concerns = [{ ...request, calls: [], messages: { [notifier]: [message] } }];
  const alert = { v: 1, key, ...session, project, lastAtMs: nowMs, lastEvent: event.event } as const;
  new Alerts(alertFolder(paths), clock).put({ ...alert, concerns });
  await wake(paths);
}
