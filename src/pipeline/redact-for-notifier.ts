import { cleanLine } from "../core/clean.ts";
import { cut } from "../core/cut.ts";
import type { Detail } from "../core/detail.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import { mask } from "./mask/mask.ts";
import { present } from "../core/present.ts";
import { summarize } from "../core/summary.ts";

/** What of an event a notifier may show. */
export interface View {
  readonly detail: Detail;
  /** Whether what looks like a secret is masked. */
  readonly mask: boolean;
}

/** An event and what is known of its session. */
export interface Seen {
  readonly event: AgentEvent;
  readonly facts: Facts;
}

/** Longest line of a summary, graphemes. */
const summaryGraphemes = 160;

/**
 * The part of an event that a notifier may show: less of it by the level of detail, and masked. It comes before the
 * templates, so that no template brings back what was left out.
 */
export function visible(whole: Seen, { detail, mask: isMasked }: View): Seen {
  const choose = { full: (seen: Seen) => seen, summary: oneLine, minimal: bare }[detail];
  // Before anything is cut: half a secret looks like none.
  return choose(isMasked ? masked(whole) : whole);
}

function masked({ event, facts }: Seen): Seen {
  const { lastMessage } = facts;
  const summary = lastMessage === undefined ? facts.summary : summarize(mask(lastMessage)) || undefined;
  return { event: maskTexts(event), facts: maskTexts({ ...facts, ...present({ summary }) }) };
}

function oneLine({ event, facts }: Seen): Seen {
  const { lastMessage: _, ...shortEvent } = event;
  const { lastMessage: __, ...shortFacts } = facts;
  const line = (text: string | undefined) => text && cut(cleanLine(text), summaryGraphemes, "graphemes");
  return {
    event: { ...shortEvent, ...present({ message: line(event.message) }) },
    facts: { ...shortFacts, ...present({ summary: line(facts.summary) }) },
  };
}

function bare({ event }: Seen): Seen {
  const { id, atMs, event: name, firing, agent, kind, project } = event;
  return { event: { id, atMs, event: name, firing, agent, kind, project, extra: {} }, facts: {} };
}

/** Masks the texts of an object, those that identify it left alone. */
function maskTexts<T extends object>(parts: T): T {
  const entries = Object.entries(parts).map(([name, value]) => [
    name,
    typeof value === "string" && !identifying.includes(name) ? mask(value) : value,
  ]);
  return Object.fromEntries(entries) as T;
}

const identifying: readonly string[] = ["id", "event", "firing", "agent", "kind", "sessionId", "turnId"];
