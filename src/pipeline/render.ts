import { hostname } from "node:os";
import { agentNamed } from "../agents/registry.ts";
import { type Catalogue, englishCatalogue } from "../config/catalogues.ts";
import { type AgentEvent, type EventView, relayedFrom } from "../core/event.ts";
import type { Facts, TokenUsage } from "../core/facts.ts";
import type { Limits, Message } from "../core/message.ts";
import type { AnswerOffer } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { describeUsageLimit } from "../core/usage-limit.ts";
import { kinds } from "../core/vocabulary.ts";
import { clean, cleanLine, oneLine } from "../text/clean.ts";
import { cut, cutCounted } from "../text/cut.ts";
import { mapTexts } from "../text/map-texts.ts";
import {
  fill,
  insertCount,
  insertValues,
  type MessageTemplates,
  type Template,
  type TemplateName,
  type TemplateValues,
} from "../text/template.ts";
import { clockTime } from "../text/time.ts";
import type { AskOutcome } from "./run-state.ts";

/** State that a message shows: `new`, `done` for a resolved concern, or `moved` if a newer message replaces it. */
export type MessageVariant = "new" | "done" | "moved";

interface RenderOptions {
  readonly limits: Limits;
  /** The notifier's own templates. */
  readonly templates: MessageTemplates;
  /** The user's templates for all notifiers. */
  readonly userTemplates?: MessageTemplates;
  readonly catalogue?: Catalogue;
  readonly variant?: MessageVariant;
  /** Unix milliseconds; default: the event's time. */
  readonly nowMs?: number;
}

/**
 * Renders an event's message: fills the templates and cuts texts to the limits. The notifier's own templates take
 * precedence over the user's, and those over the catalogue's.
 */
export function render({ event, facts }: EventView, options: RenderOptions): Message {
  const { limits, templates, userTemplates = {}, catalogue = englishCatalogue } = options;
  const { variant = "new", nowMs = event.atMs } = options;
  const values = collectValues(event, facts, catalogue, nowMs);
  const keys = variant === "new" ? listTemplateKeys(event) : { title: [variant], body: [variant] };
  const fillPart = (part: "title" | "body"): string =>
    fill(findTemplate(part, keys[part], [templates, userTemplates, catalogue.messages]), values);
  const cutBody = (text: string) => cutTo("body", text, limits, event.kind === "needs-you" ? cutCounted : cut);
  return omitUndefined<Message>({
    id: event.id,
    at: new Date(event.atMs).toISOString(),
    event: event.event,
    agent: event.agent,
    kind: event.kind,
    sessionId: event.sessionId,
    project: event.project,
    cwd: event.cwd,
    title: cutTo("title", cleanLine(fillPart("title")) || event.project, limits),
    body: cutBody(clean(fillPart("body")).trim()),
    message: event.message === undefined ? undefined : cutBody(event.message),
    reason: event.reason,
    session: mapTexts(facts, cutBody),
  });
}

function cutTo(part: "title" | "body", text: string, limits: Limits, cutText = cut): string {
  return cutText(text, limits[part], limits.unit, limits.countedAs);
}

/** Describes a message's origin: agent, project and folder, one line each. */
export function describeOrigin({ agent, project, cwd }: Message, { origin }: Catalogue): string {
  return fill(origin, omitUndefined({ agent, project, cwd }));
}

/**
 * Lists the keys under which an event's templates may be, best match first. Failures have their own keys, and so do the
 * messages of `beckon send` and `beckon run`. A notification that asks for nothing does not have the title of one that
 * does.
 */
function listTemplateKeys(agentEvent: AgentEvent): Readonly<Record<"title" | "body", readonly string[]>> {
  const { event, kind, headline, program, message } = agentEvent;
  const both = (...keys: readonly string[]) => ({ title: keys, body: keys });
  if (headline !== undefined) return both("Message");
  if (program !== undefined && kind === "finished") return both("Run", event);
  if (kind === "failed") return both(`${event}:failed`, "failed");
  if (event === "Notification" && kind === "finished")
    return { title: ["Stop"], body: [message === undefined ? "Stop" : "info"] };
  const isListed = Object.hasOwn(englishCatalogue.messages, event) && !(event === "Notification" && kind === "info");
  return both(isListed ? event : "info");
}

/** Finds the first template that is set under one of the keys, in the order of the sets; empty if there is none. */
function findTemplate(part: "title" | "body", keys: readonly string[], sets: readonly MessageTemplates[]): Template {
  const found = sets.flatMap((set) => keys.map((key) => (Object.hasOwn(set, key) ? set[key]?.[part] : undefined)));
  return found.find((template) => template !== undefined) ?? "";
}

function collectValues(event: AgentEvent, facts: Facts, catalogue: Catalogue, nowMs: number): TemplateValues {
  const { language } = catalogue;
  const agent = event.headline ?? event.program ?? agentNamed(event.agent)?.title ?? event.agent;
  const said = (event.kind === "needs-you" ? undefined : facts.summary) ?? event.message ?? facts.summary;
  const { turnMs } = facts;
  const isShown = turnMs !== undefined && (turnMs >= minTurnMs || event.program !== undefined);
  return omitUndefined<TemplateValues>({
    project: event.project,
    place: describePlace(event, agent),
    agent,
    title: facts.title === undefined || isBeginning(facts.title, said) ? undefined : facts.title,
    session: facts.title ?? event.sessionId?.slice(0, 8),
    summary: facts.summary,
    answer: facts.lastMessage,
    stillRuns: facts.stillRuns,
    nextRun: facts.nextRun,
    message: event.limit ? describeUsageLimit(event.limit, catalogue, nowMs) : event.message,
    reason: event.reason?.replaceAll("_", " "),
    did: facts.did && formatDone(facts.did, catalogue),
    duration: isShown ? formatDuration(turnMs, catalogue) : undefined,
    tokens: facts.tokens && formatTokens(facts.tokens, catalogue),
    credits: facts.tokens?.credits?.toLocaleString(language),
    cost: facts.tokens?.costUsd?.toLocaleString(language, { style: "currency", currency: "USD" }),
    messages: facts.messageCount?.toLocaleString(language),
    status: facts.status,
    host: relayedFrom(event) ?? hostname(),
    branch: facts.branch,
    model: facts.model,
    event: event.event,
    kind: event.kind,
    cwd: event.cwd,
  } satisfies Record<TemplateName, string | undefined>);
}

/** Shortest duration that says something about a turn, though not about a command of the user: 10 s. */
const minTurnMs = 10_000;

/** Maximum length of a project name in a title, in graphemes. A phone shows about 40 and must also show the event. */
const maxPlaceGraphemes = 24;

/** Names the project, with the agent's machine if that is remote. Undefined if a local project has the agent's name. */
function describePlace({ project, host }: AgentEvent, agent: string): string | undefined {
  const short = cut(project, maxPlaceGraphemes, "graphemes");
  if (host !== undefined) return `${short}@${host}`;
  return project === agent ? undefined : short;
}

/** True if a text begins with the session's title: some agents use the start of their answer as the title. */
function isBeginning(title: string, text = ""): boolean {
  const words = title.replace(/[\p{P}\s]+$/u, "").toLowerCase();
  return text.slice(0, title.length).toLowerCase().startsWith(words);
}

/** Formats a duration for people, at least a second: `850 ms` → `1 s`, `125 s` → `2 min 5 s`. Hours have no seconds. */
function formatDuration(ms: number, { formats, language }: Catalogue): string {
  const total = Math.max(1, Math.round(ms / 1000));
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  const parts = [
    hours > 0 && insertValues(formats.hours, { n: hours.toLocaleString(language) }),
    minutes > 0 && insertValues(formats.minutes, { n: minutes }),
    hours === 0 && (seconds > 0 || minutes === 0) && insertValues(formats.seconds, { n: seconds }),
  ];
  const [larger = "", smaller] = parts.filter((part) => part !== false);
  return smaller === undefined ? larger : insertValues(formats.twoUnits, { larger, smaller });
}

/** Formats what a turn did: `edited 3 files · ran 5 commands`; undefined if it did neither. */
function formatDone({ files, commands }: NonNullable<Facts["did"]>, { done, language }: Catalogue): string | undefined {
  const parts = [
    files > 0 && insertCount(done.files, files, { language }),
    commands > 0 && insertCount(done.commands, commands, { language }),
  ];
  return parts.filter(Boolean).join(" · ") || undefined;
}

/** Formats token counts: `12.3K in, 4.5K out`. */
function formatTokens({ input = 0, output = 0 }: TokenUsage, { formats, language }: Catalogue): string {
  const compact = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
  return insertValues(formats.tokens, { input: compact.format(input), output: compact.format(output) });
}

/**
 * Renders one message about several events: a title with the number of sessions, or of events of different kinds, and
 * one line for each event, the most urgent first. Other fields come from the most urgent event. The session is left out,
 * because the events may belong to several.
 * @param renderOne renders one event's message within the notifier's limits
 */
export function renderGroup(
  views: readonly [EventView, ...EventView[]],
  renderOne: (view: EventView) => Message,
  { limits, sessions }: { readonly limits: Limits; readonly sessions: number },
  catalogue: Catalogue = englishCatalogue,
): Message {
  const { groups, language } = catalogue;
  const byUrgency = (a: Message, b: Message) =>
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.at.localeCompare(b.at);
  const messages = views.map(renderOne).sort(byUrgency);
  const [first = renderOne(views[0])] = messages;
  const isSame = messages.every(({ kind }) => kind === first.kind);
  const count = isSame && first.kind !== "info" ? sessions : messages.length;
  const title = insertCount(isSame ? groups[first.kind] : groups.mixed, count, { language });
  const { sessionId: _, cwd: __, message: ___, reason: ____, ...common } = first;
  return {
    ...common,
    title: cutTo("title", title, limits),
    body: cutTo("body", messages.map((message) => renderLine(message, groups.line)).join("\n"), limits),
    session: {},
  };
}

/** Maximum length of a request in a line of a group, in graphemes. */
const maxRequestGraphemes = 160;

/** Renders one event's line: `shop · Claude Code is done: Fixed the login`. */
function renderLine({ title, body, kind }: Message, format: string): string {
  const [first = ""] = body.split("\n");
  const text = kind === "needs-you" ? cutCounted(oneLine(body), maxRequestGraphemes, "graphemes") : first;
  return text === "" ? title : insertValues(format, { title, text });
}

/** Smallest number of requests within two minutes that a message mentions. */
const minMentioned = 2;

/**
 * Puts an offer into the form in which a notifier must show it. A request whose text the mask changes cannot be allowed,
 * because its reader does not see all of it.
 * @param maskText masks secrets in a text; absent if the message stays on this machine
 */
export function presentOffer(
  offer: AnswerOffer,
  { answers, language }: Pick<Catalogue, "answers" | "language">,
  maskText: (text: string) => string = (text) => text,
): AnswerOffer | undefined {
  const text = offer.lines.join("\n");
  const masked = maskText(text).split("\n").map(maskText).join("\n");
  const choices = offer.choices.filter(({ choice }) => choice === "deny" || masked === text);
  if (choices.length === 0) return undefined;
  const { denyOnly, recentCount } = offer;
  const remarks = [
    ...(recentCount < minMentioned ? [] : [insertCount(answers.recent, recentCount, { language, type: "ordinal" })]),
    ...(denyOnly === undefined ? [] : [insertValues(answers.denyOnly, { reason: denyOnly })]),
  ];
  return { ...offer, lines: masked.split("\n"), choices, remarks };
}

/** Describes a request's end in one line. */
export function describeAskOutcome(
  { choice, by = "", via = "", text, atMs }: AskOutcome,
  { answers }: Pick<Catalogue, "answers">,
  nowMs: number,
): string {
  if (text !== undefined) return [text, by, via, clockTime(atMs, nowMs)].join(" · ");
  const form = choice === undefined ? answers.ended : choice === "allow" ? answers.allowed : answers.denied;
  return insertValues(form, { by, via, time: clockTime(atMs, nowMs) });
}
