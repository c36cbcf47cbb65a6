import { Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { type Alert, openConcerns } from "../../attention/alert.ts";
import { alertFolder, ChangedAlerts } from "../../attention/alert-files.ts";
import { hourMs } from "../../text/time.ts";
import type { Inbox } from "../receive.ts";
import type { PersonCredentials } from "./credentials.ts";
import { seenBucket } from "./names.ts";
import { SharedSeen } from "./share-seen.ts";
import { SharedSessions } from "./share-sessions.ts";
import { machineId, sessionsToShare } from "./shared-session.ts";

const pollMs = 500;
/** Pause after a failed update, milliseconds. */
const retryDelayMs = 10_000;
/** Interval for refreshing unchanged sessions, milliseconds. It is well below the time the server keeps a session. */
const refreshEveryMs = hourMs;

interface ShareOptions {
  /** True to share open sessions and seen events; false to share seen events only. */
  readonly sessions?: boolean;
  readonly refreshMs?: number;
}

/**
 * Shares the user's open sessions and seen events with the team. Resolves events that other users have seen. Runs until
 * the connection ends. Failures are retried; never throws.
 */
export async function share(
  connection: NatsConnection,
  credentials: PersonCredentials,
  inbox: Inbox,
  options: ShareOptions = {},
): Promise<void> {
  const ended = new AbortController();
  void connection.closed().then(() => ended.abort());
  while (!ended.signal.aborted) {
    const attempt = new AbortController();
    const signal = AbortSignal.any([ended.signal, attempt.signal]);
    await shareUntil(signal, { connection, credentials, inbox }, options).catch(() => {});
    attempt.abort();
    await inbox.clock.wait(retryDelayMs, ended.signal);
  }
}

interface ShareContext {
  readonly connection: NatsConnection;
  readonly credentials: PersonCredentials;
  readonly inbox: Inbox;
}

async function shareUntil(
  signal: AbortSignal,
  { connection, credentials, inbox }: ShareContext,
  { sessions: areShared = true, refreshMs = refreshEveryMs }: ShareOptions,
): Promise<void> {
  const { paths, clock } = inbox;
  const machine = machineId(paths);
  const seen = new SharedSeen(await new Kvm(connection).open(seenBucket), credentials, inbox);
  const sessions = await SharedSessions.open(connection, credentials, machine, refreshMs);
  const alerts = new OpenAlerts(alertFolder(paths));
  const poll = async (): Promise<void> => {
    while (!signal.aborted) {
      const changed = alerts.poll();
      await seen.resolve(alerts.all());
      await seen.publish(changed);
      await sessions.update(sessionsToShare(areShared ? alerts.all() : [], machine, clock.now()), clock.now());
      await clock.wait(pollMs, signal);
    }
  };
  await Promise.race([seen.run(connection, signal), poll()]);
}

/** Alerts with open concerns, as found by the last poll of the alert folder. */
class OpenAlerts {
  readonly #changes: ChangedAlerts;
  readonly #open = new Map<string, Alert>();

  constructor(folder: string) {
    this.#changes = new ChangedAlerts(folder);
  }

  /** Polls the folder. Returns all alerts changed since the last poll, including resolved alerts. */
  poll(): readonly Alert[] {
    const changed = this.#changes.read();
    for (const alert of changed) {
      if (openConcerns(alert).length > 0) this.#open.set(alert.key, alert);
      else this.#open.delete(alert.key);
    }
    for (const key of this.#open.keys()) if (!this.#changes.has(key)) this.#open.delete(key);
    return changed;
  }

  all(): readonly Alert[] {
    return [...this.#open.values()];
  }
}
