import { join } from "node:path";
import type { AnswerKeeper } from "../answers/answer-keeper.ts";
import { Alerts, alertFolder } from "../attention/alert-files.ts";
import { EarlyResolutions } from "../attention/early-resolutions.ts";
import { Groups } from "../attention/groups.ts";
import { silencesFile } from "../attention/silences.ts";
import { usageLimitsFile } from "../attention/usage-limits.ts";
import { openWaitingFile } from "../attention/waiting-file.ts";
import { configCache } from "../config/load.ts";
import { readErrno } from "../core/errors.ts";
import { KeyedQueue } from "../core/keyed-queue.ts";
import type { Ports } from "../core/ports.ts";
import { quietly } from "../core/quietly.ts";
import { redactor } from "../core/redactor.ts";
import { createFile } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";
import { fileVersion } from "../files/read-file.ts";
import { openJournal } from "../journal/journal.ts";
import { identifyEvent } from "../journal/journal-line.ts";
import type { GroupOutcome } from "../pipeline/attempt.ts";
import { ConfigErrors } from "../pipeline/config-errors.ts";
import type { AnswerDesk, RunContext } from "../pipeline/context.ts";
import { NotifierQueues, type WaitingDelivery } from "../pipeline/notifier-queue.ts";
import { PeerRings, RecentEvents } from "../pipeline/recent-events.ts";
import { type PendingDelivery, type RunState, readState } from "../pipeline/run-state.ts";
import { reschedule, waitingEntries } from "../spool/claim.ts";
import { type Entry, entryFile } from "../spool/entry.ts";
import { readRecordFile } from "../spool/list.ts";
import { decodeRecord } from "../spool/record.ts";

/** Resources that a worker keeps open between events. */
export type WorkerResources = ReturnType<typeof openWorkerResources>;

/**
 * Opens the journal, the state files and the configuration. Every secret that is resolved is replaced in journal lines.
 * @param isStopped returns true once this worker must make no more attempts
 * @param wake called when a user's answer may have arrived
 */
export function openWorkerResources(paths: Paths, ports: Ports, isStopped: () => boolean, wake: () => void = () => {}) {
  const secrets = new Set<string>();
  let redact = redactor(secrets);
  const journal = openJournal(paths.journal, ports.clock.now, (text) => redact(text));
  const configErrors = new ConfigErrors(join(paths.state, "config-errors.json"));
  const alerts = new Alerts(alertFolder(paths), ports.clock);
  const queues = new NotifierQueues(paths, ports.clock, {
    isStopped,
    listWaiting: () => waitingDeliveries(paths.spool),
  });
  const config = configCache(paths.config, ({ findings }) => {
    queues.recall(); // waiting deliveries must follow the new configuration
    configErrors.journalOnce(findings, journal);
  });
  const keepSecret = (values: readonly string[]): void => {
    const known = secrets.size;
    for (const value of values) secrets.add(value);
    if (secrets.size > known) redact = redactor(secrets);
  };
  const kept = {
    ports,
    journal,
    queues,
    alerts,
    configErrors,
    keepSecret,
    redact: (text: string) => redact(text),
    recent: new RecentEvents(join(paths.state, "recent.json")),
    turns: new KeyedQueue(),
    threads: new KeyedQueue(),
    groups: new Groups<PendingDelivery, GroupOutcome>(ports.clock),
    answers: createAnswerDesk(paths, wake),
    earlyResolutions: new EarlyResolutions(join(paths.state, "early-ends.json")),
    peerRings: new PeerRings(),
    silencesFile: silencesFile(paths),
    limitsFile: usageLimitsFile(paths),
    spool: paths.spool,
  };
  return {
    ...kept,
    /** Updates the file for status bars. */
    saveWaiting: openWaitingFile(join(paths.state, "waiting"), alerts, ports.clock),
    /** Returns a text that changes when the silences or the configuration, which has the quiet hours, change on disk. */
    silencesVersion: () => [kept.silencesFile, paths.config].map(fileVersion).join(),
    /** Builds the context for an event, with the configuration that is on disk at the moment. */
    context: async (): Promise<RunContext> => ({ ...kept, config: await config() }),
  };
}

/**
 * Lists the deliveries in the spool that failed and wait for their next attempt. Returns an empty list if the spool
 * cannot be read, because an error here would make the worker resend a message that it has just sent.
 */
export function waitingDeliveries(spool: string): readonly WaitingDelivery[] {
  return listWaiting(spool).flatMap((entry) => {
    const state = readWaiting(spool, entry);
    if (!state) return [];
    const { atMs, kind } = state;
    return Object.entries(state.deliveries).flatMap(([key, { status, attempts, notifier = key, step = 0 }]) =>
      status === "open" && attempts > 0 ? [{ notifier, id: entry.id, step, atMs, kind }] : [],
    );
  });
}

/** Reads the progress of an event that waits in the spool; undefined if its record is torn or has none. */
export function readWaiting(spool: string, entry: Entry): RunState | undefined {
  const record = decodeRecord(readRecordFile(join(spool, "cur", entryFile(entry))) ?? Buffer.alloc(0));
  return record && readState(record);
}

function listWaiting(spool: string): ReturnType<typeof waitingEntries> {
  return quietly(() => waitingEntries(spool)) ?? [];
}

/** Makes an event due now if it waits in the spool. Requires the lock. */
export function makeDue(spool: string, id: string, nowMs: number): void {
  const entry = listWaiting(spool).find((waiting) => waiting.id === id);
  if (entry && entry.dueAtMs > nowMs) reschedule(spool, entry, nowMs);
}

/**
 * Creates the desk for permission requests that wait for an answer from outside the agent. Its code is loaded when the
 * first hook asks.
 * @param wake called when an answer may have arrived
 */
function createAnswerDesk(
  paths: Pick<Paths, "root" | "asks" | "state">,
  wake: () => void,
): AnswerDesk & { readonly keeper: AnswerKeeper | undefined } {
  let keeper: AnswerKeeper | undefined;
  let loading: Promise<AnswerKeeper> | undefined;
  const load = async (): Promise<AnswerKeeper> => {
    const { AnswerKeeper } = await import("../answers/answer-keeper.ts");
    keeper = new AnswerKeeper(paths, wake);
    return keeper;
  };
  return {
    /** Keeper of the requests; undefined until the first hook has asked. */
    get keeper() {
      return keeper;
    },
    /** After an error the event goes on without answers. */
    async note(asked, context) {
      if (asked.record.header.ask === undefined && !keeper) return;
      try {
        loading ??= load();
        await (await loading).note(asked, context);
      } catch (error) {
        if (!keeper) loading = undefined;
        quietly(() => createFile(join(paths.asks, asked.event.id), ""));
        const reason = `it could not be held: ${readErrno(error) ?? "bug"}`;
        context.journal.write({ ...identifyEvent(asked.event), status: "given-up", reason });
      }
    },
    offer: (event, notifier) => keeper?.messages.offer(event, notifier),
    isAwaited: (event, context) => keeper?.asks.isAwaited(event, context) === true,
    isHeld: (id) => keeper?.asks.findOpen(id) !== undefined,
    findOutcome: (event) => keeper?.asks.findOutcome(event),
    isReading: (notifier) => keeper?.messages.readers.isReading(notifier) === true,
  };
}
