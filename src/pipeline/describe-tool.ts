import { cleanLine } from "../core/clean.ts";

const maxChars = 1000;

/** What an agent wants to do, from the tool's name and input in a permission request, or nothing. */
export function describeTool(payload: Readonly<Record<string, unknown>>): string | undefined {
  const name = text(payload["tool_name"]);
  if (name === undefined) return undefined;
  const input = (payload["tool_input"] ?? {}) as Readonly<Record<string, unknown>>;
  const question = firstQuestion(input["questions"]);
  if (question) return question;
  const target = text(input["command"]) ?? text(input["file_path"]) ?? text(input["url"]) ?? text(input["description"]);
  return target ? `Wants to use ${name}: ${target}` : `Wants to use ${name}`;
}

function firstQuestion(questions: unknown): string | undefined {
  return Array.isArray(questions) ? text((questions[0] as { question?: unknown } | null)?.question) : undefined;
}

function text(value: unknown): string | undefined {
  const line = typeof value === "string" ? cleanLine(value.slice(0, maxChars)) : "";
  return line === "" ? undefined : line;
}
