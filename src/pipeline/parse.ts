import { basename, isAbsolute } from "node:path";
import { agentNamed, agents } from "../agents/registry.ts";
import type { Agent } from "../core/agent.ts";
import { clean, cleanLine } from "../core/clean.ts";
import type { AgentEvent } from "../core/event.ts";
import { expandHome } from "../core/paths.ts";
import { present } from "../core/present.ts";
import type { EventName, Kind } from "../core/vocabulary.ts";
import type { SpoolRecord } from "../spool/record.ts";
import { agentOf } from "./agent-of.ts";
import { describeDetails, describeTool } from "../agents/shared/describe-tool.ts";
import { readPayload } from "./read-payload.ts";

/** No text of a payload that people see is longer: what follows is cut off before anything else looks at it. */
const maxTextChars = 256 * 1024;
const maxWordChars = 200;
const maxPathChars = 4096;

/**
 * A record becomes an event. Every field of the payload is optional and of any type; a wrong type counts as absent.
 * An empty payload is an event too: the launcher's arguments say which.
 * @throws {InputError} `input.empty`, `input.timeout`, `input.too_large`, `input.invalid_json`, `input.not_object` …
 */
export function parse(record: SpoolRecord, id: string, atMs: number): AgentEvent {
  const payload = readPayload(record);
  const text = (...names: string[]) => textOf(payload, names);
  const word = (...names: string[]) => {
    const line = cleanLine(text(...names)?.slice(0, maxWordChars) ?? "");
    return line === "" ? undefined : line;
  };
  const firing = word("hook_event_name") ?? firingOfType(word("type")) ?? record.header.event;
  const transcriptPath = text("transcript_path");
  const agent = agentOf(record.header.agent, payload, firing, transcriptPath);
  const cwd =
    cleanPath(text("cwd", "workspace_root") ?? firstOf(payload, "workspace_roots")) ?? cleanPath(record.header.cwd);
  const said =
    describeDetails(payload) ??
    text("message", "notification_message", "error_message", "error_details", "body") ??
    messageOfError(payload);
  const message = cleanText(said) ?? describeTool(payload);
  const answer = cleanText(agent?.answerIn?.(payload) ?? text("last_assistant_message", "prompt_response", "response"));
  const event: AgentEvent = {
    id,
    atMs,
    firing,
    agent: agent?.name ?? record.header.agent ?? "unknown",
    ...meaningOf(agent, firing, word("notification_type"), word("reason")),
    project: basename(cwd ?? "") || "unknown",
    ...present({
      sessionId: word("session_id", "thread_id", "conversation_id"),
      turnId: word("turn_id", "prompt_id", "message_id", "generation_id"),
      cwd,
      notificationType: word("notification_type"),
      message,
      reason: word("reason", "error", "error_type"),
      lastMessage: answer === agent?.noAnswer ? undefined : answer,
      transcriptPath: absolute(transcriptPath),
      processes: record.header.processes,
    }),
    extra: payload,
  };
  const skip = agent?.falseEnd?.(event);
  return { ...event, kind: agent?.kindOf?.(event) ?? event.kind, ...(skip && { skip }) };
}

/** Event and kind of a firing. An agent nobody knows is read as Claude's family; an unknown firing is `info`. */
function meaningOf(agent: Agent | undefined, firing: string, type: string | undefined, reason: string | undefined) {
  const known = agent ?? agentNamed("claude");
  const rule = Object.hasOwn(known?.firings ?? {}, firing) ? known?.firings[firing] : undefined;
  if (!rule) return { event: firing, kind: "info" as Kind };
  const event: EventName = rule.event;
  if (event === "Notification" && type !== undefined && Object.hasOwn(known?.notificationKinds ?? {}, type)) {
    return { event, kind: known?.notificationKinds[type] ?? rule.kind };
  }
  return { event, kind: event === "SessionEnd" && reason === "error" ? ("failed" as Kind) : rule.kind };
}

/** Codex's `notify` says `type`; other agents mean other things by that word. */
function firingOfType(type: string | undefined): string | undefined {
  return type !== undefined && agents.some(({ firings }) => Object.hasOwn(firings, type)) ? type : undefined;
}

/** The first text among fields of these names, in snake_case, camelCase or kebab-case. */
function textOf(payload: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    for (const spelling of [name, camel, name.replaceAll("_", "-")]) {
      const value = Object.hasOwn(payload, spelling) ? payload[spelling] : undefined;
      if (typeof value === "string" && value !== "") return value;
    }
  }
  return undefined;
}

/** The text of an error that is an object, as Copilot has it. */
function messageOfError({ error }: Readonly<Record<string, unknown>>): string | undefined {
  const message = (error as { message?: unknown } | null | undefined)?.message;
  if (typeof message !== "string" || message === "") return undefined;
  return messageInside(message) ?? message;
}

/** The message in the JSON that a model's server answered, where an error's message is that as it came. */
function messageInside(text: string): string | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" && message !== "" ? message : undefined;
  } catch {
    return undefined; // no JSON: the text is all there is
  }
}

/** The first text of a field that is a list of texts. */
function firstOf(payload: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const list = payload[name];
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return typeof first === "string" && first !== "" ? first : undefined;
}

function cleanText(text: string | undefined): string | undefined {
  const cleaned = text === undefined ? "" : clean(text.slice(0, maxTextChars)).trim();
  return cleaned === "" ? undefined : cleaned;
}

/** Spaces stay as they are: routes compare the path with what is on the disk. */
function cleanPath(path: string | undefined): string | undefined {
  const cleaned = clean(path?.slice(0, maxPathChars) ?? "").replace(/[\n\t]/g, " ");
  return cleaned.trim() === "" ? undefined : cleaned;
}

function absolute(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const expanded = expandHome(path);
  return isAbsolute(expanded) && !expanded.includes("\0") ? expanded : undefined;
}
