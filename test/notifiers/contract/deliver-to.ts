import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect } from "vitest";
import type { ConfiguredNotifier } from "../../../src/config/config.ts";
import { parseConfig } from "../../../src/config/parse.ts";
import type { FailureReason } from "../../../src/core/errors.ts";
import type { Notifier } from "../../../src/core/notifier.ts";
import { change } from "../../../src/follow-up/withdraw.ts";
import { createHttp } from "../../../src/io/http.ts";
import { type JournalLine, parseJournal } from "../../../src/journal/journal-line.ts";
import { attempt } from "../../../src/pipeline/attempt.ts";
import { deliver } from "../../../src/pipeline/deliver.ts";
import type { Delivery, OutgoingEvent } from "../../../src/pipeline/run-state.ts";
import { DeliveryWorld, makeConfig } from "../../world/delivery-world.ts";
import { type Behaviour, openHostileServer } from "../../world/hostile-server.ts";
import { localPorts } from "../../world/local-ports.ts";
import type { Sent } from "./describe-http-notifier.ts";
import { event, type NotifierCase, nowMs } from "./notifier-case.ts";
import type { Target, Way, Words } from "./way.ts";

/** Outcome of a delivery, and everything written about it. */
export interface DeliveryResult extends Sent {
  readonly delivery: Delivery;
  readonly lines: readonly JournalLine[];
}

/** Delivers `event` through a notifier, as the worker does, to a server with the test's behaviour. */
export async function deliverTo(
  behaviour: Behaviour,
  notifier: Notifier,
  notifierCase: Pick<NotifierCase, "settings">,
  { message = event.message, ...changes }: Partial<Notifier> & { readonly message?: string } = {},
): Promise<DeliveryResult> {
  const server = await openHostileServer({ "*": behaviour });
  const configured = await configuredFor(notifier, notifierCase.settings(server.origin));
  const outgoing = {
    event: { ...event, message },
    facts: {},
    configured: { ...configured, notifier: { ...notifier, ...changes } },
  };
  const world = new DeliveryWorld();
  const worker = world.worker(config);
  const context = { ...worker, ports: { ...worker.ports, http: createHttp(world.clock.now) } };
  const delivery = await deliver({ ...outgoing, delivery: { status: "open", attempts: 0 }, freshAtMs: nowMs }, context);
  if (!delivery) throw new Error("no attempt was made");
  const requests = [...server.requests];
  const text = readFileSync(join(world.root, "journal", "2026-11.jsonl"), "utf8");
  const lines = parseJournal(text);
  // The result of the attempt itself, before redaction.
  const again = await attempt(outgoing, { ...context, keepSecret() {} });
  return {
    delivery,
    lines,
    requests,
    reason: /^([\w-]+): /.exec(lines[0]?.reason ?? "")?.[1] as FailureReason | undefined,
    pausedMs: context.queues.of(configured.name).pausedUntilMs(configured) - nowMs,
    hint: again.failure?.hint,
    shown: [text, JSON.stringify(again), inspect(again, { depth: 9 })].join("\n"),
  };
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

const config = await makeConfig({ delivery: { expire: { "needs-you": "1d" } } });
const makeContext = ({ ports = localPorts() }: Target) => ({ config, ports, keepSecret() {} });

async function makeOutgoing(
  { notifier, settings }: Target,
  { message, id = event.id, session = "0" }: Words,
): Promise<OutgoingEvent> {
  const configured = await configuredFor(notifier, settings);
  const thread = { key: session.repeat(32) };
  return { event: { ...event, id, message }, facts: {}, configured, thread };
}

/** Sends and changes messages as the worker does: rendered, within the notifier's budget, and with the fallback form. */
export const throughPipeline: Way = {
  send: async (target, words) => attempt(await makeOutgoing(target, words), makeContext(target)),
  change: async (verb, target, { receipt, ...words }) =>
    change(verb, { ...(await makeOutgoing(target, words)), receipt }, makeContext(target)),
};
