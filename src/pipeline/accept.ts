import { agentNamed } from "../agents/registry.ts";
import type { Alert } from "../attention/alert.ts";
import { readText } from "../attention/sessions.ts";
import { isVagueRequest } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts, TokenUsage } from "../core/facts.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { promptEvent, silentEvents } from "../core/vocabulary.ts";
import { identifyEvent, type JournalLine } from "../journal/journal-line.ts";
import { mask } from "../text/mask/mask.ts";
import { summarize } from "../text/summary.ts";
import type { AcceptedEvent } from "./accepted-event.ts";
import { noteInAlert, noteLikelyAnswer } from "./alerts.ts";
import type { RunContext } from "./context.ts";
import { judge } from "./judge.ts";
import { isFurtherReplyToMate } from "./judge-late.ts";
import { lookUp } from "./look-up.ts";
import { isInsideRunningAgent, nestedRunReason } from "./nested-run.ts";
import { findNextRun } from "./next-run.ts";
import type { PostponeReason } from "./postpone.ts";
import { settleProject } from "./project.ts";
import { judgePrompt } from "./prompt-author.ts";
import type { ReadEvent } from "./read-relayed.ts";
import { route } from "./route.ts";

/** Results of earlier judgements of the same event. */
export interface EarlierJudgements {
  /** True if the journal does not contain the event yet. */
  readonly isNew: boolean;
  /** Reason why the event was last postponed; undefined if it never was. */
  readonly postponedFor: PostponeReason | undefined;
}

/**
 * Accepts an event: looks up its session, judges it, adds it to its session's alert, and journals it. A prompt is
 * journalled only once its author is known.
 */
export async function accept(
  read: ReadEvent,
  { isNew, postponedFor }: EarlierJudgements,
  context: RunContext,
): Promise<AcceptedEvent> {
  const {
    event,
    facts,
    wait,
    problems = [],
  } = read.facts ? { event: read.event, facts: read.facts } : await lookUpAndJudge(read.event, postponedFor, context);
  const alert = wait ? noteLikelyAnswer(event, context) : noteInAlert(event, facts, context);
  const known = withTurnLength(event, facts, alert);
  const routed = event.skip ? { steps: [] } : route(event, context.config, known);
  const accepted = { event, facts: known, routed, ...omitUndefined({ wait }) };
  const isTooEarly = wait !== undefined && silentEvents.includes(event.event);
  if (isNew && !isTooEarly) context.journal.write(describe(accepted, problems));
  return accepted;
}

/** Event after lookups and judging. */
interface Judged extends Omit<AcceptedEvent, "routed"> {
  /** Reasons why a lookup found nothing, or only part of the facts, one line each. */
  readonly problems?: readonly string[];
}

/**
 * Runs the lookups for an event, judges the event by the facts and the session's other events, and adds it to the
 * session's events.
 */
async function lookUpAndJudge(
  parsed: AgentEvent,
  postponedFor: PostponeReason | undefined,
  context: RunContext,
): Promise<Judged> {
  const { recent, ports } = context;
  const nowMs = ports.clock.now();
  if (parsed.event === promptEvent) {
    const judged = await judgePrompt(await settleProject(parsed, {}, context), context);
    recent.add(judged.event, {});
    return { facts: {}, ...judged };
  }
  const isLookedUp = !parsed.skip && !silentEvents.includes(parsed.event);
  const { facts: found, problems } = isLookedUp ? await lookUp(parsed, context) : { facts: {}, problems: [] };
  const nextRun = parsed.skip ? undefined : await findNextRun(parsed, nowMs);
  const facts = { ...found, ...omitUndefined({ nextRun }) };
  const placed = await settleProject(parsed, facts, context);
  const judgement = judge(placed, facts, {
    events: recent.listSession(parsed),
    nowMs: ports.clock.now(),
    postponedFor,
    isHeld: context.answers?.isHeld(parsed.id),
  });
  const withholdReason = judgement.event.skip === undefined ? findWithholdReason(parsed, facts, context) : undefined;
  if (withholdReason) return { ...judgement, event: { ...judgement.event, skip: withholdReason }, problems };
  if (postponedFor) recent.replace(judgement.remembered, facts);
  else recent.add(judgement.remembered, facts);
  return { ...judgement, problems };
}

/**
 * Finds a reason not to send an event: it belongs to a request that waits for an answer, comes from a run inside
 * another agent's run, or ends a further reply to another agent. Undefined if none of these applies.
 */
function findWithholdReason(event: AgentEvent, facts: FoundFacts, context: RunContext): string | undefined {
  if (isVagueRequest(event, agentNamed(event.agent)) && context.answers?.isAwaited(event, context))
    return "part of the request that waits for your answer";
  if (!context.config.attention.judgeLate) return undefined;
  if (isInsideRunningAgent(event, facts)) return nestedRunReason;
  return isFurtherReplyToMate(event, facts, context) ? "only another agent's message was answered" : undefined;
}

/** Adds the turn's length to the facts: from the event, else from a lookup, else since the event of the turn's prompt. */
function withTurnLength(event: AgentEvent, facts: FoundFacts, alert: Alert | undefined): FoundFacts {
  if (event.turnMs !== undefined) return { ...facts, turnMs: event.turnMs };
  const sinceMs = alert?.promptedAtMs;
  if (event.event !== "Stop" || facts.turnMs !== undefined || sinceMs === undefined || sinceMs > event.atMs)
    return facts;
  return { ...facts, turnMs: Math.round(event.atMs - sinceMs) };
}

/** Builds the journal line of an accepted event. Masks texts that look secret, because journal lines are kept long. */
function describe({ event, facts, routed, wait }: AcceptedEvent, problems: readonly string[]): Omit<JournalLine, "at"> {
  const isSilent = silentEvents.includes(event.event);
  const remark = wait?.reason ?? routed.note ?? (isSilent ? event.skip : undefined);
  const { title, turnMs, tokens } = facts;
  const asked = event.event === "Notification" ? event.message : undefined;
  const summary = isSilent ? "" : summarize(readText(event, facts, asked));
  return {
    ...identifyEvent(event),
    status: "accepted",
    ...omitUndefined({
      title: title && mask(title),
      summary: summary || undefined,
      turnMs,
      ...readUsage(tokens),
      reason: [...problems, ...(remark ? [remark] : [])].join("; ") || undefined,
    }),
  };
}

/** Returns the session's total tokens, and its credits; an empty object if the counts are partial. */
function readUsage(usage: TokenUsage = {}): Pick<JournalLine, "tokens" | "credits"> {
  const { input = 0, output = 0, cacheWrite = 0, credits, partial } = usage;
  if (partial) return {};
  return omitUndefined({ tokens: Math.round(input + output + cacheWrite) || undefined, credits });
}
