import { join } from "node:path";
import { expect } from "vitest";
import { Alerts, alertFolder } from "../../src/attention/alert-files.ts";
import { EarlyResolutions } from "../../src/attention/early-resolutions.ts";
import { Groups } from "../../src/attention/groups.ts";
import { silencesFile } from "../../src/attention/silences.ts";
import { usageLimitsFile } from "../../src/attention/usage-limits.ts";
import type { Config } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { KeyedQueue } from "../../src/core/keyed-queue.ts";
import type { ClockPort, Presence } from "../../src/core/ports.ts";
import { redactor } from "../../src/core/redactor.ts";
import { createClock } from "../../src/io/clock.ts";
import { openJournal } from "../../src/journal/journal.ts";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { ConfigErrors } from "../../src/pipeline/config-errors.ts";
import type { RunContext } from "../../src/pipeline/context.ts";
import { NotifierQueues } from "../../src/pipeline/notifier-queue.ts";
import { PeerRings, RecentEvents } from "../../src/pipeline/recent-events.ts";
import { run } from "../../src/pipeline/run.ts";
import { claim, freshEntries, waitingEntries } from "../../src/spool/claim.ts";
import { isDue } from "../../src/spool/entry.ts";
import { makeSpool, put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { settle } from "../../src/spool/settle.ts";
import { waitingDeliveries } from "../../src/worker/worker-resources.ts";
import { freshFolder } from "./fresh-folder.ts";
import { localPorts } from "./local-ports.ts";

/** Start of every world, Unix milliseconds. */
export const startMs = Date.parse("2026-11-20T12:00:00Z");

/** Secret part of addresses and headers that must never be written anywhere. */
export const canary = "canary-4711-canary";

const systemClock = createClock();

/** A spool, a journal and state files in the test's own folder, with a clock that the test sets. */
export class DeliveryWorld {
  readonly root = freshFolder();
  readonly spool = join(this.root, "spool");
  readonly secrets = new Set<string>();
  /** The time by the clock that every step sees. */
  nowMs = startMs;
  readonly clock: ClockPort = {
    ...systemClock,
    now: () => this.nowMs,
    // Short, since no step waits for a late line here: tests write whole transcripts before.
    wait: (ms, signal) => systemClock.wait(ms / 100, signal),
  };
  /** Known presence of the user. */
  presence: Presence = {};

  /** Makes the context of a worker that starts now and knows only what is on disk. */
  worker(config: Config): RunContext {
    const terminals = { noticesKeys: () => true, findInTerminals: () => [] };
    const typedAtMs = () => this.presence.typedAtMs;
    const presence = { ask: async () => this.presence, prepare() {}, typedAtMs, ...terminals };
    const redact = (text: string) => redactor(this.secrets)(text);
    return {
      config,
      ports: { ...localPorts(), clock: this.clock, presence },
      journal: openJournal(join(this.root, "journal"), this.clock.now, redact),
      recent: new RecentEvents(join(this.root, "state", "recent.json")),
      queues: new NotifierQueues({ state: join(this.root, "state") }, this.clock, {
        listWaiting: () => waitingDeliveries(this.spool),
      }),
      turns: new KeyedQueue(),
      alerts: new Alerts(alertFolder({ state: join(this.root, "state") }), this.clock),
      peerRings: new PeerRings(),
      earlyResolutions: new EarlyResolutions(join(this.root, "state", "early-ends.json")),
      groups: new Groups(this.clock),
      threads: new KeyedQueue(),
      silencesFile: silencesFile({ state: join(this.root, "state") }),
      limitsFile: usageLimitsFile({ state: join(this.root, "state") }),
      spool: this.spool,
      configErrors: new ConfigErrors(join(this.root, "state", "config-errors.json")),
      redact,
      keepSecret: (values) => values.forEach((value) => void this.secrets.add(value)),
    };
  }

  /** Puts an event into the spool, a Claude Stop by default. */
  take(id: string, payload: object = { hook_event_name: "Stop", session_id: id, cwd: "/home/me/shop" }): void {
    makeSpool(this.spool);
    put(this.spool, id, encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from(JSON.stringify(payload))));
  }

  /** Takes every due event through the pipeline once, as a worker does. */
  async drain(context: RunContext): Promise<void> {
    const due = waitingEntries(this.spool).filter(({ dueAtMs }) => isDue(dueAtMs, this.nowMs));
    for (const entry of [...freshEntries(this.spool), ...due]) {
      const held = claim(this.spool, entry);
      if (held) settle(this.spool, held, await run({ ...held, takenInAtMs: entry.dueAtMs ?? this.nowMs }, context));
    }
  }

  /** Returns the due time of the first waiting event, Unix milliseconds; undefined if none waits. */
  nextDueMs(): number | undefined {
    return waitingEntries(this.spool)[0]?.dueAtMs;
  }
}

/** Makes a valid configuration, without lookups unless it names some. */
export async function makeConfig(value: object): Promise<Config> {
  const config = await parseConfig(JSON.stringify({ lookups: [], ...value }));
  expect(config.findings).toEqual([]);
  return config;
}

/** Lists the status and reason of an event's journal lines, with `…` in place of origins. */
export function listJournal(context: RunContext, id: string): string[] {
  const text = ({ status, reason = "" }: JournalLine) => `${status} ${reason.replace(/http:\/\/[\d.:]+/, "…")}`.trim();
  return context.journal.readLines(id).map(text);
}
