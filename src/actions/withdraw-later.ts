import { threadKey, withMessage } from "../attention/alert.ts";
import { Alerts, alertFolder } from "../attention/alert-files.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Receipt } from "../core/notifier-call.ts";
import type { ClockPort } from "../core/ports.ts";
import { sampleSessionPrefix } from "../core/vocabulary.ts";
import type { Paths } from "../files/paths.ts";
import { wake } from "../spool/wake.ts";

/** Test message that a notifier has sent. */
export interface TestMessage {
  readonly event: AgentEvent;
  readonly notifier: string;
  readonly receipt: Receipt;
}

/** Makes the worker withdraw a test message after ten seconds. If no worker is installed, the message stays. */
export async function withdrawLater(
  { event: { agent, id, kind, project, ...event }, notifier, receipt }: TestMessage,
  paths: Paths,
  clock: ClockPort,
): Promise<void> {
  const nowMs = clock.now();
  const session = { agent, sessionId: sampleSessionPrefix + id };
  const key = threadKey(session);
  const shown = { ...event, ...session, id, kind, project };
  const message = { group: id, receipt: { ...receipt }, atMs: nowMs };
  const request = { id, atMs: nowMs, kind, state: "ringing", calls: [], facts: {}, event: shown } as const;
  const concerns = [withMessage({ ...request, calls: [] }, notifier, message)];
  const alert = { v: 1, key, ...session, project, lastAtMs: nowMs, lastEvent: event.event } as const;
  new Alerts(alertFolder(paths), clock).put({ ...alert, concerns });
  await wake(paths);
}
