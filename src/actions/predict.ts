import { applyRules } from "../attention/rules.ts";
import type { Silence } from "../attention/silences.ts";
import type { Config } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { Presence } from "../core/ports.ts";
import { openDelivery } from "../pipeline/accept.ts";
import { describeSituation } from "../pipeline/attend.ts";
import { route, type Step } from "../pipeline/route.ts";

/** Expected outcome of one message, if the user does not react and the user's presence does not change. */
export interface Prediction {
  readonly notifier: string;
  /** Delay of the message after the event, in milliseconds. */
  readonly afterMs: number;
  readonly outcome: "sent" | "skipped" | "waits";
  /** Expected time of sending, Unix milliseconds. */
  readonly atMs?: number;
  /** Reasons for holding or skipping the message, in order, with the end of each hold. */
  readonly reasons: readonly { readonly reason: string; readonly untilMs?: number }[];
}

/** Presence, silences and facts that a prediction assumes. */
export interface Assumptions {
  readonly presence: Presence;
  readonly silences: readonly Silence[];
  readonly facts: Facts;
}

/** Maximum number of holds in a row that are predicted for a message. */
const maxHolds = 20;

/** Predicts the messages for an event, in the order of the routes, by the same rules as the worker. Sends nothing. */
export function predict(event: AgentEvent, config: Config, assumptions: Assumptions): Prediction[] {
  const { steps } = route(event, config, assumptions.facts);
  return steps.flatMap((step) => predictStep(step, event, config, assumptions) ?? []);
}

function predictStep(step: Step, event: AgentEvent, config: Config, assumptions: Assumptions): Prediction | undefined {
  const { notifier, afterMs } = step;
  const configured = config.notifiers.get(notifier);
  if (!configured) return undefined;
  const { presence, silences, facts } = assumptions;
  const reasons: { reason: string; untilMs?: number }[] = [];
  let [, delivery] = openDelivery(step);
  let nowMs = event.atMs;
  for (let holds = 0; holds < maxHolds; holds += 1) {
    const moment = { nowMs, silences: silences.filter(({ untilMs }) => untilMs > nowMs), concern: undefined };
    const situation = describeSituation(event, { configured, delivery, state: { facts } }, moment, config);
    const attention = applyRules({ ...situation, presence });
    if (attention.act === "tell") return { notifier, afterMs, outcome: "sent", atMs: nowMs, reasons };
    const { reason } = attention;
    if (attention.act === "skip") return { notifier, afterMs, outcome: "skipped", reasons: [...reasons, { reason }] };
    if (attention.for === "presence") return { notifier, afterMs, outcome: "waits", reasons: [...reasons, { reason }] };
    reasons.push({ reason, untilMs: attention.untilMs });
    delivery = { ...delivery, ...omitUndefined({ heldFor: attention.for }) };
    nowMs = attention.untilMs;
  }
  return { notifier, afterMs, outcome: "waits", reasons };
}
