import { hostname } from "node:os";
import english from "../../templates/messages/en.json" with { type: "json" };
import { agentNamed } from "../agents/registry.ts";
import type { MessageTemplates } from "../config/config.ts";
import { clean, cleanLine } from "../core/clean.ts";
import { cut } from "../core/cut.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts, TokenUsage } from "../core/facts.ts";
import type { Limits, Message } from "../core/message.ts";
import { fill, type Template, type TemplateValues } from "../core/template.ts";

const catalogue: MessageTemplates = english;

/** The message of an event for one notifier: templates filled, the notifier's own first, cut to its limits. */
export function render(
  event: AgentEvent,
  facts: Facts,
  { limits, templates }: { readonly limits: Limits; readonly templates: MessageTemplates },
  userTemplates: MessageTemplates,
): Message {
  const values = valuesOf(event, facts);
  const sets = [templates, userTemplates, catalogue];
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
  const own = Object.hasOwn(catalogue, event) ? event : "info";
  const keys = kind === "failed" ? [`${event}:failed`, "failed"] : [own];
  const found = sets.flatMap((set) => keys.map((key) => (Object.hasOwn(set, key) ? set[key]?.[part] : undefined)));
  return found.find((template) => template !== undefined) ?? "";
}

function valuesOf(event: AgentEvent, facts: Facts): TemplateValues {
  const values: Record<keyof TemplateValues, string | undefined> = {
    project: event.project,
    agent: agentNamed(event.agent)?.title ?? event.agent,
    session: facts.title ?? event.sessionId?.slice(0, 8),
    summary: facts.summary,
    message: event.message,
    reason: event.reason?.replaceAll("_", " "),
    duration: facts.turnMs === undefined ? undefined : showDuration(facts.turnMs),
    tokens: facts.tokens && showTokens(facts.tokens),
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
function showDuration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  if (minutes > 0) return rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`;
  return `${rest} s`;
}

function showTokens({ input = 0, output = 0 }: TokenUsage): string {
  const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
  return `${short.format(input)} in, ${short.format(output)} out`;
}
