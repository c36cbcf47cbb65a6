import * as z from "zod";
import type { Message } from "../../core/message.ts";

/** A setting for robots that only take messages with a certain word in them. */
export const keywordSetting = z
  .string()
  .min(1)
  .max(40)
  .optional()
  .describe("A word the robot asks for in every message; put in front where it is missing.");

/** Title and body on lines of their own, the robot's keyword in front if it asks for one and it is missing. */
export function textWithKeyword({ title, body }: Pick<Message, "title" | "body">, keyword = ""): string {
  const text = body === "" ? title : `${title}\n${body}`;
  return text.includes(keyword) ? text : `${keyword}: ${text}`;
}
