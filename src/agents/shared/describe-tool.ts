import type { Payload } from "../../core/agent.ts";
import { asObject } from "../../core/json-value.ts";
import { asLine, objectsIn } from "../transcripts/record.ts";

const maxChars = 1000;

/**
 * What an agent asks for in a permission request, from the tool's name and input: the tool's own question, or the tool
 * and what it is used on. Undefined where no tool is named.
 */
export function describeTool(payload: Payload): string | undefined {
  const name = line(payload.tool_name ?? payload.toolName);
  if (name === undefined) return undefined;
  const input = asObject(payload.tool_input ?? payload.toolInput ?? payload.toolArgs) ?? {};
  const question = line(objectsIn(input.questions)[0]?.["question"]) ?? line(input.question);
  if (question) return question;
  const target = line(input.command) ?? line(input.file_path) ?? line(input.url) ?? line(input.description);
  return target ? `Wants to use ${name}: ${target}` : `Wants to use ${name}`;
}

function line(value: unknown): string | undefined {
  return asLine(typeof value === "string" ? value.slice(0, maxChars) : undefined);
}
