import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect } from "vitest";
import { Alerts } from "../../../src/attention/alert-files.ts";
import { EarlyResolutions } from "../../../src/attention/early-resolutions.ts";
import { Groups } from "../../../src/attention/groups.ts";
import type { ConfiguredNotifier } from "../../../src/config/config.ts";
import { parseConfig } from "../../../src/config/parse.ts";
import type { AgentEvent } from "../../../src/core/event.ts";
import { KeyedQueue } from "../../../src/core/keyed-queue.ts";
import type { Notifier } from "../../../src/core/notifier.ts";
import { redactor } from "../../../src/core/redactor.ts";
import { createClock } from "../../../src/io/clock.ts";
import { createHttp } from "../../../src/io/http.ts";
import { createPorts } from "../../../src/io/ports.ts";
import { openJournal } from "../../../src/journal/journal.ts";
import { type JournalLine, parseJournal } from "../../../src/journal/journal-line.ts";
import { attempt } from "../../../src/pipeline/attempt.ts";
import { Backlog } from "../../../src/pipeline/backlog.ts";
import { BrokenNotifiers } from "../../../src/pipeline/broken-notifiers.ts";
import { ConfigErrors } from "../../../src/pipeline/config-errors.ts";
import { deliver } from "../../../src/pipeline/deliver.ts";
import type { PendingDelivery } from "../../../src/pipeline/outgoing.ts";
import { Pauses } from "../../../src/pipeline/pauses.ts";
import { PeerRings } from "../../../src/pipeline/peer-rings.ts";
import { RecentEvents } from "../../../src/pipeline/recent-events.ts";
import type { Delivery } from "../../../src/pipeline/run-state.ts";
import { Slots } from "../../../src/pipeline/slots.ts";
import { type Behaviour, type Captured, startHostileServer } from "../../world/hostile-server.ts";
import type { NotifierCase } from "./notifier-case.ts";

/** Time of every delivery, Unix milliseconds. */
export const nowMs = Date.parse("2026-11-20T12:00:00Z");
const now = () => nowMs;

/** The event that every case sends. */
export const event = {
  id: "evt-1",
  atMs: nowMs,
  event: "Notification",
  nativeEvent: "Notification",
  agent: "claude",
  kind: "needs-you",
  sessionId: "s-1",
  cwd: "/code/shop",
  project: "shop",
  message: "May I run the tests?",
  extra: {},
} as const satisfies AgentEvent;

/** Outcome of a delivery, and everything written about it. */
export interface DeliveryResult {
  readonly delivery: Delivery;
  readonly lines: readonly JournalLine[];
  readonly requests: readonly Captured[];
  /** Length of the notifier's pause, milliseconds. */
  readonly pausedMs: number;
  /** Advice to the user. */
  readonly hint: string | undefined;
  /** Everything that was written or could be shown. */
  readonly shown: string;
}

/** Delivers `event` through a notifier, as the worker does, to a server with the test's behaviour. */
export async function deliverTo(
  behaviour: Behaviour,
  notifier: Notifier,
  notifierCase: Pick<NotifierCase, "settings">,
  changes: Partial<Notifier> = {},
): Promise<DeliveryResult> {
  const folder = mkdtempSync(join(tmpdir(), "beckon-contract-"));
  const server = await startHostileServer({ "*": behaviour });
  try {
    const configured = await configuredFor(notifier, notifierCase.settings(server.origin));
    const outgoing = { event, facts: {}, configured: { ...configured, notifier: { ...notifier, ...changes } } };
    const context = await contextIn(folder);
    const delivery = await deliver(
      { ...outgoing, delivery: { status: "open", attempts: 0 }, freshAtMs: nowMs },
      context,
    );
    if (!delivery) throw new Error("no attempt was made");
    const requests = [...server.requests];
    const text = readFileSync(join(folder, "journal", "2026-11.jsonl"), "utf8");
    // The result of the attempt itself, before redaction.
    const again = await attempt(outgoing, { ...context, keepSecret() {} });
    return {
      delivery,
      lines: parseJournal(text),
      requests,
      pausedMs: context.pauses.untilMs(configured) - nowMs,
      hint: again.failure?.hint,
      shown: [text, JSON.stringify(again), inspect(again, { depth: 9 })].join("\n"),
    };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes the notifier from a configuration with these settings. */
export async function configuredFor(notifier: Notifier, settings: object): Promise<ConfiguredNotifier> {
  const entry = { type: notifier.name, ...settings };
  const config = await parseConfig(JSON.stringify({ notifiers: { it: entry }, lookups: [] }));
  expect(config.findings).toEqual([]);
  const configured = config.notifiers.get("it");
  if (!configured) throw new Error("the settings of the case are not valid");
  return configured;
}

async function contextIn(folder: string) {
  const clock = { ...createClock(), now };
  const secrets = new Set<string>();
  const redact = (value: string) => redactor(secrets)(value);
  return {
    config: await parseConfig(JSON.stringify({ notifiers: {}, delivery: { expire: { "needs-you": "1d" } } })),
    ports: { ...createPorts(), http: createHttp(now), clock },
    journal: openJournal(join(folder, "journal"), now, redact),
    recent: new RecentEvents(join(folder, "recent.json")),
    backlog: new Backlog(),
    pauses: new Pauses(join(folder, "pauses.json")),
    broken: new BrokenNotifiers(join(folder, "broken.json")),
    turns: new KeyedQueue(),
    slots: new Slots(),
    peerRings: new PeerRings(),
    earlyResolutions: new EarlyResolutions(join(folder, "early-ends.json")),
    alerts: new Alerts(join(folder, "alerts"), clock),
    groups: new Groups<PendingDelivery>(clock),
    threads: new KeyedQueue(),
    silencesFile: join(folder, "silences.json"),
    configErrors: new ConfigErrors(join(folder, "config-errors.json")),
    redact,
    keepSecret: (values: readonly string[]) => values.forEach((value) => void secrets.add(value)),
  };
}
