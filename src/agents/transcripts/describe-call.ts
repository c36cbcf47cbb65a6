import { basename, relative } from "node:path";
import { type Payload, readToolInput } from "../../core/agent.ts";
import { asObject, type JsonObject } from "../../core/json-value.ts";
import { objectsIn, shortLine } from "./record.ts";

/**
 * Describes a tool call in one line: the tool and its target, a question with its options, or the title of a plan.
 * Undefined without a tool name.
 * @param folder the working directory; paths inside the working directory are shortened
 */
export function describeCall(tool: unknown, input: JsonObject = {}, folder?: string): string | undefined {
  const name = shortLine(tool);
  if (name === undefined) return undefined;
  const asked = questions(input) ?? planTitle(input) ?? (/^ask/i.test(name) ? shortLine(input.message) : undefined);
  if (asked !== undefined) return asked;
  const path = shortLine(input.file_path) ?? shortLine(input.path) ?? shortLine(input.notebook_path);
  const what = shortLine(input.command) ?? shortLine(input.cmd) ?? shortLine(input.url) ?? shortLine(input.description);
  if (path !== undefined && what === undefined) return `${name} ${shortPath(path, folder)}`;
  return what === undefined ? name : `${name}: ${what}`;
}

/** Formats questions with their options, as tools of several agents pass them. */
function questions(input: JsonObject): string | undefined {
  const inList = objectsIn(input.questions).flatMap(({ question, options }) => {
    const labels = Array.isArray(options)
      ? options.flatMap((option) => shortLine(option) ?? shortLine(asObject(option)?.label) ?? [])
      : [];
    const text = shortLine(question);
    return text === undefined ? [] : withOptions(text, labels);
  });
  const asked =
    inList.length > 0 ? inList.join(" ") : (shortLine(input.question) ?? inQuestionnaire(input.questionnaire));
  return asked;
}

/** Reads Droid's format: lines `1. [question] …` and `[option] …`. */
function inQuestionnaire(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  const marked = (mark: string) => [...text.matchAll(new RegExp(`\\[${mark}\\] *(.+)`, "g"))];
  const options = marked("option").flatMap(([, label]) => shortLine(label) ?? []);
  const asked = marked("question").flatMap(([, question]) => shortLine(question) ?? []);
  return asked.length === 0 ? undefined : withOptions(asked.join(" "), options);
}

function withOptions(question: string, options: readonly string[]): string {
  return options.length === 0 ? question : `${question} (${options.join(" / ")})`;
}

/** Formats `Plan: ` and the plan's heading or first line. */
function planTitle({ plan }: JsonObject): string | undefined {
  const [first] = typeof plan === "string" ? plan.trim().split("\n") : [];
  const title = shortLine(first?.replace(/^#+\s*/, ""));
  return title && `Plan: ${title}`;
}

function shortPath(path: string, folder: string | undefined): string {
  const short = folder === undefined ? path : relative(folder, path);
  return short === "" ? basename(path) : short.startsWith("..") ? path : short;
}

/** Describes the tool call of a permission request, with `describeCall`. */
export function describeTool(payload: Payload): string | undefined {
  return describeCall(payload.tool_name ?? payload.toolName, asObject(readToolInput(payload)), shortLine(payload.cwd));
}
