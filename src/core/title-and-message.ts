import type { Message } from "./message.ts";

/** Title and message for services that take no empty message: where there is no body, the title is the message. */
export function titleAndMessage({ title, body }: Pick<Message, "title" | "body">): {
  readonly title?: string;
  readonly message: string;
} {
  return body === "" ? { message: title } : { title, message: body };
}
