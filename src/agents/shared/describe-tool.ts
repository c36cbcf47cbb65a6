import { type Payload, toolInputOf } from "../../core/agent.ts";
import { asObject } from "../../core/json-value.ts";
import { asLine, asText, objectsIn } from "../transcripts/record.ts";

const maxChars = 1000;

/**
 * What an agent asks for in a permission request, from the tool's name and input: the tool's own question, or the tool
 * and what it is used on. Undefined where no tool is named.
 */
export function describeTool(payload: Payload): string | undefined {
  const name = shortLine(payload.tool_name ?? payload.toolName);
  if (name === undefined) return undefined;
  const input = asObject(toolInputOf(payload)) ?? {};
  const question = shortLine(objectsIn(input.questions)[0]?.["question"]) ?? shortLine(input.question);
  if (question) return question;
  const target = [input.command, input.file_path, input.url, input.description].map(shortLine).find(Boolean);
  return target ? `Wants to use ${name}: ${target}` : `Wants to use ${name}`;
}

/** The value where it is a text, its first 1,000 characters as a clean line; undefined where nothing is left. */
export function shortLine(value: unknown): string | undefined {
  return asLine(asText(value)?.slice(0, maxChars));
}
