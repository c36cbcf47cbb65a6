import { at, parseJson } from "./json-value.ts";

/**
 * Extracts an error's message from its JSON: `400 {"error":{"message":"too long"}}` → `400 too long`. Returns the text
 * unchanged if it has no JSON with a message.
 */
export function extractErrorText(text: string): string {
  const [json = ""] = /\{.*\}/s.exec(text) ?? [];
  const message = findMessage(json);
  if (message === undefined) return text;
  const words = text.replace(json, () => extractErrorText(message));
  return words.replace(/^\[(.*)\]$/s, "$1").trim();
}

/** Finds the message in a model service's error, given as JSON; undefined if there is none. */
function findMessage(json: string): string | undefined {
  const error = parseJson(json);
  const found = [at(error, "message"), at(error, "error"), at(error, "error", "message")];
  return found.find((candidate) => typeof candidate === "string" && candidate !== "") as string | undefined;
}
