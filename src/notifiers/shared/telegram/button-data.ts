import type { PressedAnswer } from "../../../core/notifier-call.ts";

/** Callback data of the button that marks a message as seen. */
export const seenData = "seen";

/**
 * Builds the callback data of a button that answers a request, at most 47 bytes. Telegram allows 64.
 * https://core.telegram.org/bots/api#inlinekeyboardbutton
 */
export function buildAnswerData({ reference, choice, token }: PressedAnswer): string {
  return ["answer", reference, choice, token].join(":");
}

/** Parses callback data. Anybody in the chat can make up callback data. */
export function parseButtonData(data: string): "seen" | PressedAnswer | undefined {
  if (data === seenData) return "seen";
  const [, reference, choice, token] = /^answer:([\w-]{11}):(allow|deny):([\w-]{22})$/.exec(data) ?? [];
  if (reference === undefined || token === undefined) return undefined;
  return { reference, choice: choice === "allow" ? "allow" : "deny", token };
}
