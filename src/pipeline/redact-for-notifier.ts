import type { EventView } from "../core/event-view.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { Detail } from "../core/vocabulary.ts";
import { cleanLine } from "../text/clean.ts";
import { cut } from "../text/cut.ts";
import { mapTexts } from "../text/map-texts.ts";
import { mask } from "../text/mask/mask.ts";
import { summarize } from "../text/summary.ts";

/** Maximum length of a message or summary at the detail level `summary`, in graphemes. */
const summaryGraphemes = 160;

/**
 * Removes what a notifier may not show at its level of detail, and masks secrets. Runs before templates are filled, so
 * templates cannot reveal removed parts.
 */
export function redactForNotifier(
  view: EventView,
  options: { readonly detail: Detail; readonly mask: boolean },
): EventView {
  const reduce = { full: (same: EventView) => same, summary: summaryView, minimal: minimalView }[options.detail];
  // Texts are masked before they are cut, because half a secret is not recognized.
  return reduce(options.mask ? maskedView(view) : view);
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
  const line = (text: string | undefined) => text && cut(cleanLine(text), summaryGraphemes, "graphemes");
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
