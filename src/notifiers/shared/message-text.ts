import * as z from "zod";
import type { Message } from "../../core/message.ts";

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
