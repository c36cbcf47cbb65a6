import { isGroupable } from "../attention/groups.ts";
import { readAudience } from "../config/config.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { TurnOutcome, WaitingDelivery } from "./backlog.ts";
import type { RunContext } from "./context.ts";
import { deliver } from "./deliver.ts";
import type { PendingDelivery } from "./outgoing.ts";
import type { Delivery } from "./run-state.ts";

/**
 * Makes a delivery's next attempt with `deliver`, before its time if the delivery was released. A success releases the
 * next delivery that waits for the same notifier.
 */
export async function takeTurn(pending: PendingDelivery, context: RunContext): Promise<Delivery | undefined> {
  const { backlog, ports } = context;
  const { event, configured, delivery } = pending;
  const { id, atMs, kind } = event;
  const waiting = { notifier: configured.name, id, step: delivery.step ?? 0, atMs, kind };
  const isReleased = backlog.isReleased(waiting);
  backlog.begin(waiting);
  const next = await deliver(isReleased ? releaseEarly(pending) : pending, context);
  const isDigested = (kind: WaitingDelivery["kind"]): boolean =>
    readAudience(configured) === "person" && isGroupable({ kind });
  const outcome = readOutcome(delivery, next);
  backlog.end(waiting, outcome, { isDigested, nowMs: ports.clock.now() });
  const left = next ?? delivery;
  if (left.status === "open" && left.attempts > 0) backlog.wait(waiting);
  return next && isReleased && outcome === "failed" ? { ...next, releases: (next.releases ?? 0) + 1 } : next;
}

/** Makes a delivery due now. Remembers its old due time, which is kept if the attempt fails. */
function releaseEarly(pending: PendingDelivery): PendingDelivery {
  const { dueAtMs, ...delivery } = pending.delivery;
  return { ...pending, ...omitUndefined({ scheduledAtMs: dueAtMs }), isReleased: true, delivery };
}

function readOutcome(before: Delivery, next: Delivery | undefined): TurnOutcome {
  if (next?.status === "sent") return "sent";
  if (next && next.attempts > before.attempts) return "failed";
  return next && next.status !== "open" ? "dropped" : "postponed";
}
