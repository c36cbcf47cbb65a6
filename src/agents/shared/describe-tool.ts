import { cleanLine } from "../../core/clean.ts";

type Fields = Readonly<Record<string, unknown>>;

const maxChars = 1000;

/** What an agent wants to do, from the tool's name and input in a permission request, or nothing. */
export function describeTool(payload: Fields): string | undefined {
  const name = text(payload["tool_name"]) ?? text(payload["toolName"]);
  if (name === undefined) return undefined;
  const input = (payload["tool_input"] ?? payload["toolInput"] ?? payload["toolArgs"] ?? {}) as Fields;
  const question = firstQuestion(input["questions"]) ?? text(input["question"]);
  if (question) return question;
  const target = text(input["command"]) ?? text(input["file_path"]) ?? text(input["url"]) ?? text(input["description"]);
  return target ? `Wants to use ${name}: ${target}` : `Wants to use ${name}`;
}

/** What Gemini wants to do: the message of its notices does not say, `details` beside it do. */
export function describeDetails({ details }: Fields): string | undefined {
  if (typeof details !== "object" || details === null) return undefined;
  const { type, command, fileName } = details as Fields;
  if (type === "exec" && text(command)) return `Wants to run: ${text(command)}`;
  if (type === "edit" && text(fileName)) return `Wants to edit ${text(fileName)}`;
  return type === "ask_user" ? "Asks you a question" : undefined;
}

function firstQuestion(questions: unknown): string | undefined {
  return Array.isArray(questions) ? text((questions[0] as { question?: unknown } | null)?.question) : undefined;
}

function text(value: unknown): string | undefined {
  const line = typeof value === "string" ? cleanLine(value.slice(0, maxChars)) : "";
  return line === "" ? undefined : line;
}
