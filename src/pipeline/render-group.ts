import { type Catalogue, englishCatalogue } from "../config/catalogues.ts";
import type { EventView } from "../core/event-view.ts";
import type { Limits, Message } from "../core/message.ts";
import { kinds } from "../core/vocabulary.ts";
import { cut } from "../text/cut.ts";
import { insertCount, insertValues } from "../text/template.ts";

/** Renders one event's message, for a line in the group's. */
type RenderOne = (view: EventView) => Message;

/**
 * Renders one message for several events, the most urgent first: a count, and a line for each. All other fields come
 * from the first event, except for the identity: a group has no session.
 * @param renderOne renders the message of one event, with the notifier's limits
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
  const title = insertCount(isSame ? groups[first.kind] : groups.mixed, messages.length, language);
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

/** `shop · Claude Code is done: Fixed the login` */
function renderLine({ title, body }: Message, format: string): string {
  const [text = ""] = body.split("\n");
  return text === "" ? title : insertValues(format, { title, text });
}
