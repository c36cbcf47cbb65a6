import { loadCatalogue } from "../config/catalogues.ts";
import { BeckonError, ConfigError, DeliveryError, type FailureReason, transientReasons } from "../core/errors.ts";
import type { EventView } from "../core/event-view.ts";
import type { Limits } from "../core/message.ts";
import type { Notifier } from "../core/notifier.ts";
import type { NotifierCall, Receipt } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { maxRetryAfterMs } from "../core/retry-after.ts";
import { fingerprint } from "../files/state-file.ts";
import { clean } from "../text/clean.ts";
import { cut } from "../text/cut.ts";
import { mask } from "../text/mask/mask.ts";
import type { RunContext } from "./context.ts";
import type { OutgoingEvent } from "./outgoing.ts";
import { redactForNotifier } from "./redact-for-notifier.ts";
import { type Look, originOf, render } from "./render.ts";
import { renderGroup } from "./render-group.ts";
import { resolveNotifierSettings } from "./resolve-settings.ts";
import { withinBudget } from "./within-budget.ts";

/** Why an attempt failed, without secrets. */
export interface Failure {
  readonly reason: FailureReason;
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** What the user's program or module, or the receiver, said: several lines, masked before they were cut. */
  readonly said?: string;
  /** Pause the receiver asked for, milliseconds; six hours at most. */
  readonly retryAfterMs?: number;
  /** Whether another attempt may succeed. */
  readonly isTransient: boolean;
}

/** The parts of a `RunContext` that an attempt uses. */
export type AttemptContext = Pick<RunContext, "config" | "ports" | "keepSecret">;

/** Result of an attempt; the message was sent, or changed, unless there is a failure. */
export interface AttemptResult {
  readonly failure?: Failure;
  /** A remark for the journal on a message that was sent. */
  readonly note?: string;
  /** What the message can be changed by later; absent where it cannot, or where its receipt stays the same. */
  readonly receipt?: Receipt;
}

/** A call whose settings fit the notifier that it goes to. */
export type SomeCall = NotifierCall<Record<string, unknown>>;

/** What an attempt asks of the notifier. */
export interface Task {
  /** Calls one of the notifier's verbs. */
  act(call: SomeCall): Promise<Receipt | undefined>;
  /** What the message says of the event; default: that it has come. */
  readonly look?: Look;
}

/**
 * Sends an event within the notifier's budget, and a second time in the fallback form where the receiver rejects markup
 * or size. Never throws.
 */
export function attempt(outgoing: OutgoingEvent, context: AttemptContext): Promise<AttemptResult> {
  return attemptTask(outgoing, { act: (call) => outgoing.configured.notifier.send(call) }, context);
}

/**
 * Does with an event what the task says, under the terms of `attempt`. Never throws: this is the only place where the
 * errors of a delivery are caught.
 */
export async function attemptTask(
  outgoing: OutgoingEvent,
  task: Task,
  context: AttemptContext,
): Promise<AttemptResult> {
  try {
    return await perform(outgoing, task, context);
  } catch (error) {
    return { failure: failureOf(error, outgoing.configured.notifier) };
  }
}

async function perform(
  outgoing: OutgoingEvent,
  { act, look = "new" }: Task,
  { config, ports, keepSecret }: AttemptContext,
): Promise<AttemptResult> {
  const { notifier, templates, ...options } = outgoing.configured;
  if (notifier.platforms && !notifier.platforms.includes(process.platform)) {
    throw new DeliveryError("unsupported", `does not work on ${process.platform}`);
  }
  const settings = await resolveNotifierSettings(outgoing.configured, ports.exec, keepSecret);
  const detail = options.detail ?? notifier.detail?.(settings) ?? "full";
  const isMasked = options.mask ?? notifier.reach === "network";
  const redact = (view: EventView) => redactForNotifier(view, { detail, mask: isMasked });
  const maskText = options.mask === false ? (text: string) => text : mask;
  const { processes = [], terminal } = outgoing.event;
  const { thread, onReaction } = outgoing;
  const catalogue = await loadCatalogue(options.language ?? config.language);
  const { buttons: labels, language } = catalogue;
  const words = { labels, language };
  const common = {
    settings,
    mask: maskText,
    processes,
    ports,
    ...words,
    ...omitUndefined({ thread, onReaction, terminal }),
  };
  const actCutTo = async (limits: Limits, isFallback: boolean): Promise<AttemptResult> => {
    const renderOne = ({ event, facts }: EventView) =>
      render(event, facts, { limits, templates, look }, { userTemplates: config.templates, catalogue });
    const [first, ...others] = [redact(outgoing), ...(outgoing.others ?? []).map(redact)];
    const rendered =
      others.length === 0 ? renderOne(first) : renderGroup([first, ...others], renderOne, limits, catalogue);
    const message = { ...rendered, id: messageId(outgoing) };
    const remarks: string[] = [];
    const remark = (text: string) => void remarks.push(text);
    const call = { ...common, message, view: first, origin: originOf(message, catalogue), isFallback, remark };
    const receipt = await withinBudget(notifier.budgetMs, ports.clock, (signal) => act({ ...call, signal }));
    return omitUndefined({ receipt: receipt && kept(receipt), note: remarks.join("; ") || undefined });
  };
  try {
    return await actCutTo(notifier.limits, false);
  } catch (error) {
    if (!notifier.fallbackLimits || !mayBeMarkupOrSize(error)) throw error;
    const result = await actCutTo(notifier.fallbackLimits, true);
    const note = [`shortened and without markup, since ${error.message}`, result.note].filter(Boolean).join("; ");
    return { ...result, note };
  }
}

/**
 * Makes a message's id: the same for every attempt at it, and for no other, because receivers that know an id already
 * drop the message. A message for several events has an id of its own: one of them may have arrived alone.
 */
export function messageId({ event: { id }, step, others = [] }: Pick<OutgoingEvent, "event" | "step" | "others">) {
  const own = step === undefined ? id : `${id}-${step}`;
  return others.length === 0 ? own : `${own}-${fingerprint(others.map(({ event }) => event.id)).slice(0, 12)}`;
}

/** Most of what was said about a failure, as much as is kept of a program's output. */
const maxSaidChars = 4_096;

/** Most bytes of a receipt as JSON. Some of it is what the receiver said, which may be anything. */
const maxReceiptBytes = 512;

/** A receipt that may be stored; undefined where it is too large: its message cannot be changed. */
function kept(receipt: Receipt): Receipt | undefined {
  return Buffer.byteLength(JSON.stringify(receipt)) <= maxReceiptBytes ? receipt : undefined;
}

/** Whether the message's markup or size may have been rejected: 400, 413, or a rejection in the body of a 2xx. */
function mayBeMarkupOrSize(error: unknown): error is DeliveryError {
  if (!(error instanceof DeliveryError) || error.reason !== "rejected" || error.status === undefined) return false;
  return error.status === 400 || error.status === 413 || error.status < 300;
}

/** What an error of a notifier comes to. */
export function failureOf(error: unknown, { rateWaitMs }: Pick<Notifier, "rateWaitMs">): Failure {
  const hint = error instanceof BeckonError ? error.hint : undefined;
  if (error instanceof DeliveryError) {
    const { reason, message } = error;
    const said = error.said === undefined ? "" : cut(mask(clean(error.said)).trim(), maxSaidChars, "utf16");
    const askedMs = error.retryAfterMs ?? (reason === "rate-limited" ? rateWaitMs : undefined);
    const isPause = askedMs !== undefined && Number.isFinite(askedMs);
    const retryAfterMs = isPause ? Math.min(askedMs, maxRetryAfterMs) : undefined;
    const isTransient = transientReasons.includes(reason);
    return { reason, message, isTransient, ...omitUndefined({ hint, said: said || undefined, retryAfterMs }) };
  }
  // A secret that is missing in this agent's environment may be there in the next one's.
  if (error instanceof ConfigError) {
    return { reason: "auth", message: error.message, isTransient: true, ...omitUndefined({ hint }) };
  }
  const name = error instanceof Error ? error.name : typeof error;
  return { reason: "bug", message: `a fault in the notifier (${name})`, isTransient: false };
}
