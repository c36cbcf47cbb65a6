import { at } from "./json-value.ts";

/**
 * What an error says, without the JSON that it came in: `400 {"error":{"message":"too long"}}` → `400 too long`. The
 * text itself where it holds no JSON with a message.
 */
export function wordsOfError(text: string): string {
  const [json = ""] = /\{.*\}/s.exec(text) ?? [];
  const message = messageIn(json);
  if (message === undefined) return text;
  const words = text.replace(json, () => wordsOfError(message));
  return words.replace(/^\[(.*)\]$/s, "$1").trim();
}

/** The message in an error as the services of models answer them; undefined where there is none. */
function messageIn(json: string): string | undefined {
  try {
    const error: unknown = JSON.parse(json);
    const found = [at(error, "message"), at(error, "error"), at(error, "error", "message")];
    return found.find((one) => typeof one === "string" && one !== "") as string | undefined;
  } catch {
    return undefined; // not JSON, or cut off
  }
}
