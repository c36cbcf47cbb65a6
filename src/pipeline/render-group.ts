import { type Catalogue, englishCatalogue } from "../config/catalogues.ts";
import type { EventView } from "../core/event-view.ts";
import type { Limits, Message } from "../core/message.ts";
import { kinds } from "../core/vocabulary.ts";
import { cut } from "../text/cut.ts";
import { insertCount, insertValues } from "../text/template.ts";

/** Function that renders the message of one event, which becomes one line of the group's message. */
type RenderOne = (view: EventView) => Message;

/**
 * Renders one message about several events: a title with the number of events, and one line for each event, the most
 * urgent first. Other fields come from the most urgent event. The session is left out, because the events may belong to
 * several.
 * @param renderOne renders one event's message within the notifier's limits
 */
export function renderGroup(
  views: readonly [EventView, ...EventView[]],
  renderOne: RenderOne,
  limits: Limits,
  catalogue: Catalogue = englishCatalogue,
): Message {
  const { groups, language } = catalogue;
  const messages = sortByUrgency(views.map(renderOne));
  const [first = renderOne(views[0])] = messages;
  const isSame = messages.every(({ kind }) => kind === first.kind);
  const title = insertCount(isSame ? groups[first.kind] : groups.mixed, messages.length, { language });
  const { sessionId: _, cwd: __, message: ___, reason: ____, ...common } = first;
  return {
    ...common,
    title: cut(title, limits.title, limits.unit, limits.countedAs),
    body: cut(
      messages.map((message) => renderLine(message, groups.line)).join("\n"),
      limits.body,
      limits.unit,
      limits.countedAs,
    ),
    session: {},
  };
}

function sortByUrgency(messages: readonly Message[]): Message[] {
  return messages.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.at.localeCompare(b.at));
}

/** Renders one event's line: `shop · Claude Code is done: Fixed the login`. */
function renderLine({ title, body }: Message, format: string): string {
  const [text = ""] = body.split("\n");
  return text === "" ? title : insertValues(format, { title, text });
}
