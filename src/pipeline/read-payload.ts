import { InputError } from "../core/errors.ts";
import { maxInputBytes } from "../core/input.ts";
import type { SpoolRecord } from "../spool/record.ts";

/** Firings that mean something without a payload: an agent that is killed still calls its SessionEnd hook. */
const meaningfulWhenEmpty: readonly string[] = ["Notification", "Stop", "SubagentStop", "SessionEnd"];

/**
 * The JSON object an agent sent.
 * @throws {InputError} if it is not one; messages tell the place, never the content
 */
export function readPayload({ header, payload, end }: SpoolRecord): Readonly<Record<string, unknown>> {
  if (payload.length > maxInputBytes) throw new InputError("input.too_large", "more than 1 MiB came in");
  const text = payload.toString("utf8").replace(/^\ufeff/, "");
  if (text.trim() === "") return emptyPayload(header.event, end);
  const value = parseJson(text, end);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InputError(
      "input.not_object",
      `not a JSON object but ${Array.isArray(value) ? "an array" : typeof value}`,
    );
  }
  return value as Record<string, unknown>;
}

function emptyPayload(event: string, end: number): Readonly<Record<string, unknown>> {
  if (end === 124) throw new InputError("input.timeout", "nothing came in, and the other side did not hang up");
  if (end !== 0) throw new InputError("input.unreadable", "standard input could not be read");
  if (meaningfulWhenEmpty.includes(event)) return {};
  throw new InputError("input.empty", "nothing came in");
}

function parseJson(text: string, end: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /position (\d+)/.exec(String(error))?.[1];
    const where = position === undefined ? `after ${text.length} characters` : `at character ${position}`;
    if (end === 124) throw new InputError("input.timeout", `cut off ${where}: the rest did not come in time`);
    if (end === 153) throw new InputError("input.too_large", "more than 1 MiB came in");
    throw new InputError("input.invalid_json", `not valid JSON ${where}`);
  }
}
