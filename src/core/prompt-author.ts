import { htmlTagNames } from "html-tag-names";
import { svgTagNames } from "svg-tag-names";
import type { Payload, PromptAuthor } from "./agent.ts";
import { asText, at, type JsonObject, toList } from "./json-value.ts";

/** Reason to skip a prompt whose record names a program as its author. */
export const programPromptReason = "the agent's own prompt, no person typed it";

/** Reason to skip a prompt that begins like a prompt from an agent, unless a key was pressed shortly before. */
export const programLikePromptReason = "it begins like an agent's own prompt; no person typed it";

/** Reason to skip a prompt without text. */
export const emptyPromptReason = "a prompt without a text, no person typed it";

const typedSources = new Set(["typed", "pasted", "voice", "queued", "sdk", "remote", "channel", "user", "human"]);

/**
 * Reads the author of a prompt from a payload or a transcript line, in Claude Code's fields `isMeta`, `promptSource`
 * and `origin`; undefined if the author is not recorded.
 */
export function recordedAuthor(record: JsonObject): PromptAuthor | undefined {
  const source = asText(record.promptSource) ?? asText(record.prompt_source);
  const origin = asText(at(record.origin, "kind")) ?? asText(record.origin);
  const words = [source, origin].filter((word) => word !== undefined);
  if (words.length > 0) return words.every((word) => typedSources.has(word.toLowerCase())) ? "person" : "program";
  return record.isMeta === true ? "program" : undefined;
}

/**
 * Decides from a prompt's payload and first words whether a person typed it. Agents also send reports, tasks and
 * reminders to the model as prompts.
 * @returns a reason to skip the prompt; undefined if a person typed it or the payload has no prompt
 */
export function promptSkipReason(payload: Payload): string | undefined {
  const author = recordedAuthor(payload);
  if (author !== undefined) return author === "person" ? undefined : programPromptReason;
  const text = promptText(payload)?.trimStart();
  if (text === undefined) return undefined;
  if (text === "") return emptyPromptReason;
  return isProgramText(text) ? programLikePromptReason : undefined;
}

/** Reads the prompt's text, with `[picture]` for each picture; undefined if the payload has no known prompt field. */
function promptText(payload: Payload): string | undefined {
  const value = payload.prompt ?? payload.user_prompt ?? payload.userPrompt;
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  return toList(value)
    .map((part) => asText(part) ?? asText(at(part, "text")) ?? (at(part, "type") === "text" ? "" : "[picture]"))
    .join("");
}

const markup = new Set([...htmlTagNames, ...svgTagNames].map((name) => name.toLowerCase()));

/** Tags that agents and editors put around a user's actions: shell input, slash commands, chat messages, open files. */
const userTags = /^(?:bash-|command-|local-command-|channel$|ide_|user_query$|pasted|attached_)/;

/** Patterns for the first words of texts that agents and their hooks send as prompts. */
const programSentences = [
  /^\w+ hook (?:feedback|blocking error|error|stopped)/i,
  /^# Task Tool Invocation/,
  /^Background (?:task|command|agent)\b.{0,120}\b(?:completed|failed|finished|was stopped)\b/i,
  /^\[(?:system|automated|scheduled|cron|task|background|subagent|hook|request interrupted)\b[^\]\n]{0,80}\]/i,
  /^(?:Another|A|Your) (?:\w+ )?(?:session|agent|teammate)\b.{0,80}\b(?:sent|says|message)/i,
  /^This session is being continued from a previous conversation/,
  /^Caveat: The messages below were generated/,
  /^(?:A )?scheduled (?:wake-?up|task|run|prompt)\b.{0,40}\bfired\b/i,
];

/** True if a text begins like a text from an agent, a hook or another program. */
export function isProgramText(text: string): boolean {
  const [, tag] = /^<([a-z][\w.:-]*)(?=[\s/>])/i.exec(text) ?? [];
  if (tag === undefined) return programSentences.some((sentence) => sentence.test(text));
  return !markup.has(tag.toLowerCase()) && !userTags.test(tag);
}
