import type { ConfiguredNotifier } from "../config/config.ts";
import { BeckonError, ConfigError, DeliveryError, type FailureReason } from "../core/errors.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import type { RunContext } from "./context.ts";
import { render } from "./render.ts";
import { resolveSettings } from "./resolve-settings.ts";

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

/** Sends once, within the notifier's budget. The only place where a delivery's error is caught: it becomes a value. */
export async function attempt(sending: Sending, context: SendContext): Promise<Failure | undefined> {
  try {
    await send(sending, context);
    return undefined;
  } catch (error) {
    return failureOf(error);
  }
}

async function send({ event, facts, configured }: Sending, { config, ports, keepSecret }: SendContext): Promise<void> {
  const { notifier } = configured;
  if (notifier.platforms !== "any" && !notifier.platforms.includes(process.platform)) {
    throw new DeliveryError("unsupported", `does not work on ${process.platform}`);
  }
  const settings = await resolveSettings(configured, ports.exec, keepSecret);
  const message = render(event, facts, configured, config.templates);
  await inTime(notifier.budgetMs, (signal) => notifier.send({ settings, message, ports, signal }));
}

/** Aborts the signal at the end of the budget and waits no longer, whether anybody listens to it or not. */
function inTime(budgetMs: number, act: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const signal = AbortSignal.timeout(budgetMs);
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new DeliveryError("timeout", `took longer than ${budgetMs} ms`)));
    act(signal).then(resolve, reject); // what it throws at once rejects likewise
  });
}

function failureOf(error: unknown): Failure {
  const hint = error instanceof BeckonError && error.hint !== undefined && { hint: error.hint };
  if (error instanceof DeliveryError) {
    const { reason, message, retryAfterMs: asked } = error;
    const wait = asked !== undefined && Number.isFinite(asked) && { retryAfterMs: Math.min(asked, longestAskedMs) };
    return { reason, message, mayPass: passing.includes(reason), ...hint, ...wait };
  }
  // A secret that is missing in this agent's environment may be there in the next one's.
  if (error instanceof ConfigError) return { reason: "auth", message: error.message, mayPass: true, ...hint };
  const name = error instanceof Error ? error.name : typeof error;
  return { reason: "bug", message: `a fault in the notifier (${name})`, mayPass: false };
}
