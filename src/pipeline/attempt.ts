import type { ConfiguredNotifier } from "../config/config.ts";
import { BeckonError, ConfigError, DeliveryError, type FailureReason } from "../core/errors.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import type { Limits } from "../core/message.ts";
import type { Notifier } from "../core/notifier.ts";
import type { RunContext } from "./context.ts";
import { render } from "./render.ts";
import { resolveSettings } from "./resolve-settings.ts";
import { visible } from "./redact-for-notifier.ts";

/** What is sent where. */
export interface Sending {
  readonly event: AgentEvent;
  readonly facts: Facts;
  readonly configured: ConfiguredNotifier;
}

/** Why an attempt failed, in words that may be shown. */
export interface Failure {
  readonly reason: FailureReason;
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  readonly retryAfterMs?: number;
  /** Whether trying again can help. */
  readonly mayPass: boolean;
}

export type SendContext = Pick<RunContext, "config" | "ports" | "keepSecret">;

/** Nobody is left alone for longer. */
const longestAskedMs = 6 * 3_600_000;

const passing: readonly FailureReason[] = ["rate-limited", "unavailable", "timeout"];

/** How an attempt came out: sent unless there is a failure. */
export interface Attempted {
  readonly failure?: Failure;
  /** What the journal should say of a message that was sent. */
  readonly note?: string;
}

/**
 * Sends once, within the notifier's budget, and once more in a plainer form where the receiver refused the first one's.
 * The only place where a delivery's error is caught: it becomes a value.
 */
export async function attempt(sending: Sending, context: SendContext): Promise<Attempted> {
  try {
    return await send(sending, context);
  } catch (error) {
    return { failure: failureOf(error, sending.configured.notifier) };
  }
}

async function send(sending: Sending, { config, ports, keepSecret }: SendContext): Promise<Attempted> {
  const { notifier, templates, ...view } = sending.configured;
  if (notifier.platforms !== "any" && !notifier.platforms.includes(process.platform)) {
    throw new DeliveryError("unsupported", `does not work on ${process.platform}`);
  }
  const settings = await resolveSettings(sending.configured, ports.exec, keepSecret);
  const detail = view.detail ?? notifier.detail?.(settings) ?? "full";
  const { event, facts } = visible(sending, { detail, mask: view.mask ?? notifier.reach === "network" });
  const sendCutTo = (limits: Limits, plain: boolean): Promise<void> => {
    const message = render(event, facts, { limits, templates }, config.templates, config.language);
    const call = { settings, message, plain, processes: sending.event.processes ?? [], ports };
    return inTime(notifier.budgetMs, (signal) => notifier.send({ ...call, signal }));
  };
  try {
    await sendCutTo(notifier.limits, false);
    return {};
  } catch (error) {
    if (!notifier.plainer || !isRefusedForm(error)) throw error;
    await sendCutTo(notifier.plainer, true);
    return { note: `plain and shorter, since ${error.message}` };
  }
}

/** Whether what was refused may be the message's markup or size: 400, 413, or as much in the body of a success. */
function isRefusedForm(error: unknown): error is DeliveryError {
  if (!(error instanceof DeliveryError) || error.reason !== "rejected" || error.status === undefined) return false;
  return error.status === 400 || error.status === 413 || error.status < 300;
}

/** Aborts the signal at the end of the budget and waits no longer, whether anybody listens to it or not. */
function inTime(budgetMs: number, act: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const signal = AbortSignal.timeout(budgetMs);
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new DeliveryError("timeout", `took longer than ${budgetMs} ms`)));
    act(signal).then(resolve, reject); // what it throws at once rejects likewise
  });
}

function failureOf(error: unknown, { rateWaitMs }: Pick<Notifier, "rateWaitMs">): Failure {
  const hint = error instanceof BeckonError && error.hint !== undefined && { hint: error.hint };
  if (error instanceof DeliveryError) {
    const { reason, message } = error;
    const asked = error.retryAfterMs ?? (reason === "rate-limited" ? rateWaitMs : undefined);
    const wait = asked !== undefined && Number.isFinite(asked) && { retryAfterMs: Math.min(asked, longestAskedMs) };
    return { reason, message, mayPass: passing.includes(reason), ...hint, ...wait };
  }
  // A secret that is missing in this agent's environment may be there in the next one's.
  if (error instanceof ConfigError) return { reason: "auth", message: error.message, mayPass: true, ...hint };
  const name = error instanceof Error ? error.name : typeof error;
  return { reason: "bug", message: `a fault in the notifier (${name})`, mayPass: false };
}
