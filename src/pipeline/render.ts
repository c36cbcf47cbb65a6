import { hostname } from "node:os";
import { agentNamed } from "../agents/registry.ts";
import { type Catalogue, catalogues, type Language } from "../config/catalogues.ts";
import { clean, cleanLine } from "../core/clean.ts";
import { cut } from "../core/cut.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts, TokenUsage } from "../core/facts.ts";
import type { Limits, Message } from "../core/message.ts";
import type { MessageTemplates } from "../core/template.ts";
import { fill, type Template, type TemplateValues } from "../core/template.ts";

/** The message of an event for one notifier: templates filled, the notifier's own first, cut to its limits. */
export function render(
  event: AgentEvent,
  facts: Facts,
  { limits, templates }: { readonly limits: Limits; readonly templates: MessageTemplates },
  userTemplates: MessageTemplates,
  language: Language = "en",
): Message {
  const catalogue: Catalogue = catalogues[language];
  const values = valuesOf(event, facts, catalogue, language);
  const sets = [templates, userTemplates, catalogue.messages];
  const { unit, title, body, countedAs } = limits;
  return {
    id: event.id,
    at: new Date(event.atMs).toISOString(),
    event: event.event,
    agent: event.agent,
    kind: event.kind,
    ...(event.sessionId !== undefined && { sessionId: event.sessionId }),
    project: event.project,
    ...(event.cwd !== undefined && { cwd: event.cwd }),
    title: cut(cleanLine(fill(templateFor("title", event, sets), values)) || event.project, title, unit, countedAs),
    body: cut(clean(fill(templateFor("body", event, sets), values)).trim(), body, unit, countedAs),
    ...(event.message !== undefined && { message: cut(event.message, body, unit, countedAs) }),
    ...(event.reason !== undefined && { reason: event.reason }),
    session: shortFacts(facts, (text) => cut(text, body, unit, countedAs)),
  };
}

/** A failure has words of its own; an event without words has those of `info`. */
function templateFor(part: "title" | "body", { event, kind }: AgentEvent, sets: readonly MessageTemplates[]): Template {
  const own = Object.hasOwn(catalogues.en.messages, event) ? event : "info";
  const keys = kind === "failed" ? [`${event}:failed`, "failed"] : [own];
  const found = sets.flatMap((set) => keys.map((key) => (Object.hasOwn(set, key) ? set[key]?.[part] : undefined)));
  return found.find((template) => template !== undefined) ?? "";
}

function valuesOf(event: AgentEvent, facts: Facts, { words }: Catalogue, language: Language): TemplateValues {
  const values: Record<keyof TemplateValues, string | undefined> = {
    project: event.project,
    agent: agentNamed(event.agent)?.title ?? event.agent,
    title: facts.title,
    session: facts.title ?? event.sessionId?.slice(0, 8),
    summary: facts.summary,
    answer: facts.lastMessage,
    message: event.message,
    reason: event.reason?.replaceAll("_", " "),
    duration: facts.turnMs === undefined ? undefined : showDuration(facts.turnMs, words),
    tokens: facts.tokens && showTokens(facts.tokens, words, language),
    host: hostname(),
    branch: facts.branch,
    model: facts.model,
    event: event.event,
    kind: event.kind,
    cwd: event.cwd,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function shortFacts(facts: Facts, shorten: (text: string) => string): Facts {
  const entries = Object.entries(facts).map(([name, value]) => [
    name,
    typeof value === "string" ? shorten(value) : value,
  ]);
  return Object.fromEntries(entries) as Facts;
}

/** `850 ms` → `1 s`, `125 s` → `2 min 5 s`, `2 h 3 min`. */
function showDuration(ms: number, words: Catalogue["words"]): string {
  const total = Math.max(1, Math.round(ms / 1000));
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  const parts = [
    hours > 0 && put(words.hours, { n: hours }),
    minutes > 0 && put(words.minutes, { n: minutes }),
    hours === 0 && (seconds > 0 || minutes === 0) && put(words.seconds, { n: seconds }),
  ];
  return parts.filter(Boolean).join(" ");
}

function showTokens({ input = 0, output = 0 }: TokenUsage, { tokens }: Catalogue["words"], language: Language): string {
  const short = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
  return put(tokens, { input: short.format(input), output: short.format(output) });
}

function put(words: string, values: Readonly<Record<string, string | number>>): string {
  return words.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}
