import { threadKey } from "../attention/session-keys.ts";
import { type Catalogue, loadCatalogue } from "../config/catalogues.ts";
import { readAudience } from "../config/config.ts";
import { BeckonError, ConfigError, DeliveryError, type FailureReason, transientReasons } from "../core/errors.ts";
import type { EventView } from "../core/event.ts";
import type { Limits } from "../core/message.ts";
import type { Notifier } from "../core/notifier.ts";
import type { NotifierCall, Receipt } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { maxRetryAfterMs } from "../core/retry-after.ts";
import type { Detail } from "../core/vocabulary.ts";
import { fingerprint } from "../files/atomic-file.ts";
import { clean, oneLine } from "../text/clean.ts";
import { cut, cutCounted } from "../text/cut.ts";
import { mapTexts } from "../text/map-texts.ts";
import { mask } from "../text/mask/mask.ts";
import { summarize } from "../text/summary.ts";
import type { RunContext } from "./context.ts";
import {
  describeAskOutcome,
  describeOrigin,
  type MessageVariant,
  presentOffer,
  render,
  renderGroup,
} from "./render.ts";
import { listEvents, type OutgoingEvent } from "./run-state.ts";
import { resolveNotifierSettings, withinBudget } from "./within-budget.ts";

/** Failure of an attempt. Contains no secrets. */
export interface Failure {
  readonly reason: FailureReason;
  readonly message: string;
  /** Advice for the user on how to fix the problem. */
  readonly hint?: string;
  /** Output of a custom program or module, or the receiver's reply, masked and then cut. May have several lines. */
  readonly said?: string;
  /** Pause that the receiver asked for, or the notifier's own for a rate limit, in milliseconds, six hours at most. */
  readonly retryAfterMs?: number;
  /** True if another attempt may succeed. */
  readonly isTransient: boolean;
}

/** Parts of a `RunContext` that an attempt uses. */
export type AttemptContext = Pick<RunContext, "config" | "ports" | "keepSecret">;

/** Result of an attempt. If `failure` is absent, the message was sent or changed. */
export interface AttemptResult {
  readonly failure?: Failure;
  /** Remark about a sent message for the journal. */
  readonly note?: string;
  /** Receipt for changing the message later. Absent if that is impossible, or if the earlier receipt stays valid. */
  readonly receipt?: Receipt;
}

/** Attempt that was made for all members of a group, or why none was made. */
export type GroupOutcome =
  | { readonly result: AttemptResult; readonly tookMs: number }
  | "not now"
  | "evicted"
  | "recalled";

/** Notifier call with settings of any type. The settings must be those of the called notifier. */
export type SomeCall = NotifierCall<Record<string, unknown>>;

/** Action of an attempt; by default, it sends a new message. */
interface Task {
  /** Calls one of the notifier's functions, such as `withdraw`; default: `send`. */
  readonly act?: (call: SomeCall) => Promise<Receipt | undefined>;
  /** State that the message shows; default: `new`. */
  readonly variant?: MessageVariant;
}

/**
 * Sends a message about an event, or performs another task with it, within the notifier's time budget. If the receiver
 * rejects its markup or size, does so again in the fallback form. Never throws: all delivery errors are caught here.
 */
export async function attempt(
  outgoing: OutgoingEvent,
  context: AttemptContext,
  { act = (call) => outgoing.configured.notifier.send(call), variant = "new" }: Task = {},
): Promise<AttemptResult> {
  const { notifier } = outgoing.configured;
  let prepared: Prepared | undefined;
  let rejection: DeliveryError | undefined; // of the form with markup
  for (;;) {
    const limits = (rejection && notifier.fallbackLimits) ?? notifier.limits;
    const remarks = rejection ? [`shortened and without markup, since ${rejection.message}`] : [];
    const form = { isFallback: rejection !== undefined, remark: (text: string) => void remarks.push(text) };
    try {
      prepared ??= await prepare(outgoing, context);
      const call = { ...buildCall(outgoing, prepared, { limits, variant }, context), ...form };
      const receipt = await withinBudget(notifier.budgetMs, context.ports.clock, (signal) => act({ ...call, signal }));
      // A message with a larger receipt cannot be changed later.
      const isStorable = receipt && Buffer.byteLength(JSON.stringify(receipt)) <= maxReceiptBytes;
      const note = remarks.join("; ") || undefined;
      return omitUndefined({ receipt: isStorable ? receipt : undefined, note });
    } catch (error) {
      const isFinal = rejection !== undefined || !notifier.fallbackLimits;
      if (isFinal || !mayBeMarkupOrSize(error)) return { failure: describeFailure(error, notifier) };
      rejection = error;
    }
  }
}

/** Everything that a notifier is called with, except for what depends on the limits of the message. */
interface Prepared {
  /** Events of the message, reduced to what the notifier may show. */
  readonly views: readonly [EventView, ...EventView[]];
  readonly catalogue: Catalogue;
  readonly parts: Omit<SomeCall, "message" | "view" | "origin" | "isFallback" | "remark" | "signal">;
}

async function prepare(
  { configured, event, facts, others = [], thread, onReaction, ...ask }: OutgoingEvent,
  { config, ports, keepSecret }: AttemptContext,
): Promise<Prepared> {
  const { notifier } = configured;
  if (notifier.platforms && !notifier.platforms.includes(process.platform)) {
    throw new DeliveryError("unsupported", `does not work on ${process.platform}`);
  }
  const settings = await resolveNotifierSettings(configured, ports.exec, keepSecret);
  const catalogue = await loadCatalogue(configured.language ?? config.language);
  const detail = configured.detail ?? notifier.detail?.(settings) ?? "full";
  const isMasked = configured.mask ?? notifier.reach === "network";
  const maskText = configured.mask === false ? (text: string) => text : mask;
  const isBrief = readAudience(configured) === "team" && configured.detail !== "full";
  const redact = (view: EventView) => redactForNotifier(view, { detail, mask: isMasked, isBrief });
  const { processes = [], terminal } = event;
  const isWhole = detail === "full" && !(isBrief && event.brief !== undefined);
  const offer = ask.offer && isWhole ? presentOffer(ask.offer, catalogue, isMasked ? maskText : undefined) : undefined;
  const outcome = ask.outcome && describeAskOutcome(ask.outcome, catalogue, ports.clock.now());
  const { buttons: labels, language } = catalogue;
  return {
    views: [redact({ event, facts }), ...others.map(redact)],
    catalogue,
    parts: {
      ...{ settings, mask: maskText, processes, ports, labels, language },
      ...omitUndefined({ thread, onReaction, offer, outcome, terminal }),
    },
  };
}

function buildCall(
  outgoing: OutgoingEvent,
  { views, catalogue, parts }: Prepared,
  { limits, variant }: { readonly limits: Limits; readonly variant: MessageVariant },
  { config, ports }: AttemptContext,
): Omit<SomeCall, "isFallback" | "remark" | "signal"> {
  const words = { templates: outgoing.configured.templates, userTemplates: config.templates, catalogue };
  const options = { limits, variant, ...words, nowMs: ports.clock.now() };
  const renderOne = (view: EventView) => render(view, options);
  const [view, ...others] = views;
  const group = { limits, sessions: new Set(listEvents(outgoing).map(threadKey)).size };
  const rendered = others.length === 0 ? renderOne(view) : renderGroup(views, renderOne, group, catalogue);
  const message = { ...rendered, id: messageId(outgoing) };
  return { ...parts, message, view, origin: describeOrigin(message, catalogue) };
}

/**
 * Builds a message's id, which is the same for every attempt at this message and different from all others, because
 * receivers drop a message whose id they know. A message about several events has an id of its own, because one of the
 * events may already have been sent alone.
 */
export function messageId({ event: { id }, step, others = [] }: Pick<OutgoingEvent, "event" | "step" | "others">) {
  const own = step === undefined ? id : `${id}-${step}`;
  return others.length === 0 ? own : `${own}-${fingerprint(others.map(({ event }) => event.id)).slice(0, 12)}`;
}

/** Maximum length of the output or reply that is kept with a failure, in UTF-16 units. */
const maxSaidChars = 4_096;

/** Maximum size of a stored receipt, in bytes of JSON. A receiver may send identifiers of any size. */
const maxReceiptBytes = 512;

/** True if the receiver may have rejected the message's markup or size: 400, 413, or a rejection in a 2xx body. */
function mayBeMarkupOrSize(error: unknown): error is DeliveryError {
  if (!(error instanceof DeliveryError) || error.reason !== "rejected" || error.status === undefined) return false;
  return error.status === 400 || error.status === 413 || error.status < 300;
}

/** Converts a notifier's error to a failure. */
export function describeFailure(error: unknown, { rateWaitMs }: Pick<Notifier, "rateWaitMs">): Failure {
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
  // The next attempt may run in another agent's environment, in which the missing secret is set.
  if (error instanceof ConfigError) {
    return { reason: "auth", message: error.message, isTransient: true, ...omitUndefined({ hint }) };
  }
  const name = error instanceof Error ? error.name : typeof error;
  return { reason: "bug", message: `a fault in the notifier (${name})`, isTransient: false };
}

/** Maximum length of a message or summary at the detail level `summary`, in graphemes. */
const summaryGraphemes = 160;

/**
 * Removes what a notifier may not show at its level of detail, and masks secrets. Runs before templates are filled, so
 * templates cannot reveal removed parts.
 */
export function redactForNotifier(
  { event, facts }: EventView,
  options: { readonly detail: Detail; readonly mask: boolean; readonly isBrief?: boolean },
): EventView {
  const reduce = { full: (same: EventView) => same, summary: summaryView, minimal: minimalView }[options.detail];
  const shown = { event: options.isBrief ? { ...event, ...omitUndefined({ message: event.brief }) } : event, facts };
  // Texts are masked before they are cut, because half a secret is not recognized.
  return reduce(options.mask ? maskedView(shown) : shown);
}

function maskedView({ event, facts }: EventView): EventView {
  const masked = mapTexts(facts, maskText);
  const { lastMessage } = masked;
  const summary = lastMessage === undefined ? masked.summary : summarize(lastMessage) || undefined;
  return { event: mapTexts(event, maskText), facts: { ...masked, ...omitUndefined({ summary }) } };
}

/** Masks a text, unless its field is an identifier. */
function maskText(text: string, name: string): string {
  return identifying.includes(name) ? text : mask(text);
}

function summaryView({ event, facts }: EventView): EventView {
  const { lastMessage: _, ...shortEvent } = event;
  const { lastMessage: __, ...shortFacts } = facts;
  const line = (text: string | undefined) => text && cutCounted(oneLine(text), summaryGraphemes, "graphemes");
  return {
    event: { ...shortEvent, ...omitUndefined({ message: line(event.message) }) },
    facts: { ...shortFacts, ...omitUndefined({ summary: line(facts.summary) }) },
  };
}

function minimalView({ event }: EventView): EventView {
  const { id, atMs, event: name, nativeEvent, agent, kind, project } = event;
  return { event: { id, atMs, event: name, nativeEvent, agent, kind, project, extra: {} }, facts: {} };
}

const identifying: readonly string[] = ["id", "event", "nativeEvent", "agent", "kind", "sessionId", "turnId"];
