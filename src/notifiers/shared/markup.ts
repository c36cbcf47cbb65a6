import * as z from "zod";
import type { Message } from "../../core/message.ts";

/** Escapes a text like the inside of a JSON string. Serves as `countedAs` if a limit applies to the whole payload. */
export function jsonForm(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Invisible character that separates characters which together would be markup. */
const zeroWidthSpace = "\u200b";

/** Adds an invisible space after every match, for services that have no escape character. */
export function breakBehind(text: string, pattern: RegExp): string {
  return text.replace(pattern, (match) => match + zeroWidthSpace);
}

/**
 * Formats a text as a fenced code block. The fence is longer than any run of backticks in the text.
 * https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */
export function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRunOfBackticks(text) + 1));
  return `${fence}text\n${text}\n${fence}`;
}

/**
 * Formats a line as a code span whose delimiter is longer than any run of backticks in the line.
 * https://spec.commonmark.org/0.31.2/#code-spans
 */
export function codeSpan(line: string): string {
  const ticks = "`".repeat(longestRunOfBackticks(line) + 1);
  return `${ticks} ${line} ${ticks}`;
}

function longestRunOfBackticks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

type Texts = Pick<Message, "title" | "body">;

/** Joins title and body, each on its own lines. */
export function titleAndBody({ title, body }: Texts): string {
  return body === "" ? title : `${title}\n${body}`;
}

/** Splits a message for services that reject an empty body. If the body is empty, the title becomes the message. */
export function titleAndMessage({ title, body }: Texts): { readonly title?: string; readonly message: string } {
  return body === "" ? { message: title } : { title, message: body };
}

/** Setting for robots that accept only messages with a certain keyword. */
export const keywordSetting = z
  .string()
  .min(1)
  .max(40)
  .optional()
  .describe("Keyword that the robot requires. It is added in front of messages that do not contain it.");

/** Joins title and body, with the keyword in front if the text lacks it. */
export function textWithKeyword(message: Texts, keyword = ""): string {
  const text = titleAndBody(message);
  return text.includes(keyword) ? text : `${keyword}: ${text}`;
}
