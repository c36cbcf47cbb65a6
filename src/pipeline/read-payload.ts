import type { Payload } from "../core/agent.ts";
import { InputError } from "../core/errors.ts";
import { quietly } from "../core/quietly.ts";
import { eventNames } from "../core/vocabulary.ts";
import { inputEnd, maxPayloadBytes, type SpoolRecord } from "../spool/record.ts";

/**
 * Parses the JSON object that an agent sent. Empty input counts as an empty object if the event is known.
 * @throws {InputError} for anything else; error messages name the position, never the content
 */
export function readPayload({ header, payload, end }: SpoolRecord): Payload {
  if (payload.length > maxPayloadBytes) throw new InputError("input.too_large", "the input has more than 1 MiB");
  const text = payload.toString("utf8").replace(/^\ufeff/, "");
  if (text.trim() === "") return emptyPayload(header.event, end);
  const value = parseJson(text, end);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const found = Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`;
    throw new InputError("input.not_object", `not a JSON object but ${found}`);
  }
  return value as Payload;
}

/** Reads the session's id from an input over the limit, if the input begins with it; other members may be cut. */
export function readBeginning({ payload }: SpoolRecord): Payload {
  const [, id] = /^\s*\{\s*"session_id"\s*:\s*"([\w-]{1,128})"/.exec(payload.toString("latin1", 0, 512)) ?? [];
  return id === undefined ? {} : { session_id: id };
}

/**
 * Returns an empty payload if the event is known, because an agent that is killed runs its SessionEnd hook without
 * input. @throws {InputError} for an unknown event or incomplete input
 */
function emptyPayload(event: string, end: number): Payload {
  if (end === inputEnd.timeout) throw new InputError("input.timeout", "no input, and the agent did not close its end");
  if (end !== inputEnd.complete) throw new InputError("input.unreadable", "standard input could not be read");
  if ((eventNames as readonly string[]).includes(event)) return {};
  throw new InputError("input.empty", "no input");
}

/** Parses JSON whose strings contain unescaped line breaks or tabs, as some scripts write; undefined if that fails. */
function parseUnescaped(text: string): unknown {
  const encode = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const encoded = text.replace(/"[^"\\]*(?:\\[\s\S][^"\\]*)*"/g, (inner) => inner.replace(/[\u0000-\u001f]/g, encode));
  return encoded === text ? undefined : quietly(() => JSON.parse(encoded));
}

function parseJson(text: string, end: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const repaired = parseUnescaped(text);
    if (repaired !== undefined) return repaired;
    const position = /position (\d+)/.exec(String(error))?.[1];
    const where = position === undefined ? `after ${text.length} characters` : `at character ${position}`;
    if (end === inputEnd.timeout)
      throw new InputError("input.timeout", `cut off ${where}: the rest did not arrive in time`);
    if (end === inputEnd.tooLarge) throw new InputError("input.too_large", "the input has more than 1 MiB");
    throw new InputError("input.invalid_json", `not valid JSON ${where}`);
  }
}
