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

/** First words of the tags in which agents and their hooks put texts of their own. */
const programTag =
  /^(?:agent|background|cron|ephemeral|event|hook|message|notification|peer|reminder|result|scheduled|sub-?agent|system|task|team-?mate|wake)(?=[-_:.]|$)/i;

/** Patterns for the first words of texts that agents and their hooks send as prompts. */
const programSentences = [
  /^[A-Z]\w+ hook (?:feedback|blocking error|error|stopped)/,
  /^# Task Tool Invocation/,
  /^Background (?:task|command|agent)\b.{0,120}\b(?:completed|failed|finished|was stopped)\b/i,
  /^\[(?:system|automated|scheduled|request interrupted)\b[^\]\n]{0,80}\]/i,
  /^\[(?:cron|task|background|subagent|hook)[ _-][^\]\n]{1,80}\]/i,
  /^This session is being continued from a previous conversation/,
  /^Caveat: The messages below were generated/,
  /^(?:A )?scheduled (?:wake-?up|task|run|prompt)\b.{0,40}\bfired\b/i,
];

/** Patterns for the first words of messages from other agents. */
const mateMessages = [
  /^<(?:agent|team-?mate|peer)[\w-]*message\b/,
  /^(?:Another|A|Your) (?:\w+ )?(?:session|agent|teammate)\b.{0,80}\b(?:sent|says|message)\b.{0,40}:/i,
];

/** A ticket in brackets, such as `[TASK-42]` or `[Task 7]`, with which users begin prompts. */
const ticket = /^\[(?:[A-Z][A-Z\d]*-\d+\b|[A-Za-z]+ ?[-#]?\d+\])/;

/** True if a text begins like a message from another agent. */
export function isMateMessage(text: string): boolean {
  return mateMessages.some((message) => message.test(text));
}

/**
 * True if a text begins like a text from an agent, a hook or another program. An element with a tag of several words in
 * lower case counts even if it is unknown, if nothing follows it. A word with a capital names a user's component.
 */
export function isProgramText(text: string): boolean {
  const [, tag] = /^<([a-z][\w.:-]*)(?=[\s/>])/i.exec(text) ?? [];
  if (tag === undefined) {
    return isMateMessage(text) || (!ticket.test(text) && programSentences.some((sentence) => sentence.test(text)));
  }
  if (markup.has(tag.toLowerCase()) || userTags.test(tag)) return false;
  const isLower = tag === tag.toLowerCase();
  const isWhole = text.trimEnd().endsWith(`</${tag}>`) || /\/>\s*$/.test(text);
  const isKnown = programTag.test(tag);
  return /[-_:.]/.test(tag) ? isKnown || (isLower && isWhole) : isKnown && isLower;
}
