import { type Payload, readToolInput } from "../../core/agent.ts";
import { asObject, asText, type JsonObject } from "../../core/json-value.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { PermissionForm } from "../../core/permission-form.ts";
import { type AgentRequest, describeRequests, readTool } from "../../text/request.ts";
import { objectsIn, shortLine } from "./record.ts";

/** Agents' own tools that ask the user, and those that present a plan; in lower case without `_`. */
const askingTools = /^(?:ask(?:user(?:question)?|followupquestion)|question|requestuserinput)$/;
const planningTools = /^(?:exit(?:plan|spec)mode|planexit)$/;

/** Arguments of agents' own tools with the path, with what the tool does, and with further details, best first. */
export const paths = ["file_path", "absolute_path", "path", "notebook_path", "filePath", "dir_path"];
const mains = [
  ...["command", "cmd", "query", "pattern", "url", "uri", "sql", "skill", "subject", "description", "message"],
  ...["prompt", "name", "reason", "action", "task_id", "id"],
];
const details = ["args", "cron", "to", "recipient", "status", "trigger_id"];

/**
 * Reads what a tool call asks for. Only an agent's own tools ask a question or present a plan, whatever the arguments of
 * other tools are called. Undefined without a tool name.
 * @param foreignNames forms of the names of other programs' tools; default: those that most agents use
 */
export function readCall(
  tool: unknown,
  input: JsonObject = {},
  foreignNames?: readonly RegExp[],
): AgentRequest | undefined {
  const name = shortLine(tool);
  if (name === undefined) return undefined;
  const named = readTool(name, foreignNames);
  if (named.server !== undefined) {
    return { ...named, others: Object.entries(input).filter(([, value]) => value !== null) };
  }
  const kind = name.replaceAll("_", "").toLowerCase();
  const asked = askingTools.test(kind) ? (questions(input) ?? findText(input, ["message"])) : undefined;
  if (asked !== undefined) return { main: asked };
  const plan = planningTools.test(kind) ? planTitle(input) : undefined;
  if (plan !== undefined) return { tool: "Plan", main: plan };
  const path = findText(input, paths);
  const main = findText(input, mains) ?? (path === undefined ? findText(input, Object.keys(input)) : undefined);
  const others = details.flatMap((detail) => {
    const text = findText(input, [detail]);
    return text === undefined || text === main ? [] : [[detail, text] as const];
  });
  return omitUndefined({ tool: name, path, main, others });
}

/** Finds the first text, or list of texts, among the arguments with these names. */
export function findText(input: JsonObject, names: readonly string[]): string | undefined {
  const texts = names.map((name) => {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    return Array.isArray(value) && value.every((part) => typeof part === "string") ? value.join(" ") : value;
  });
  return texts.find((text): text is string => typeof text === "string" && text.trim() !== "");
}

/** Formats questions with their options, as tools of several agents pass them. */
function questions(input: JsonObject): string | undefined {
  const inList = objectsIn(input.questions).flatMap(({ question, options }) => {
    const labels = Array.isArray(options)
      ? options.flatMap((option) => shortLine(option) ?? shortLine(asObject(option)?.label) ?? [])
      : [];
    return typeof question === "string" && question.trim() !== "" ? withOptions(question, labels) : [];
  });
  return inList.length > 0
    ? inList.join("\n")
    : (findText(input, ["question"]) ?? inQuestionnaire(input.questionnaire));
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

/** Matches a heading that only says that a plan follows, in each language of the messages. */
const emptyTitle =
  /^(?:(?:the|my|our|proposed|action|implementation|work) )*(?:plan|spec(?:ification)?)$|^(?:umsetzungs|implementierungs|arbeits|aktions)plan$|^plan d(?:e|'|’) ?(?:la )?(?:implementación|implémentation|action|acción|mise en œuvre|trabajo|travail)$|^plano(?: de (?:implementação|ação|trabalho))?$|^(?:実装)?(?:計画|プラン)$|^(?:实施|实现|行动)?(?:计划|方案)$/i;
const stepMark = /^\s*(?:[-*+•]|\d{1,3}[.)、])\s*/;

/** Finds the plan's heading or first line; its first step if the heading does not say more than that it is a plan. */
function planTitle({ plan }: JsonObject): string | undefined {
  const [first, ...rest] = (asText(plan) ?? "").split("\n").filter((line) => line.trim() !== "");
  const title = first?.replace(/^\s*#+\s*/, "").trim();
  if (title === undefined || !emptyTitle.test(title.replace(/^\*+|[*:：.]+$/g, ""))) return title;
  const step = rest.find((line) => stepMark.test(line)) ?? rest.find((line) => !line.trim().startsWith("#"));
  return step?.replace(stepMark, "").trim() ?? title;
}

/** Reads the tool call of a permission request, with `readCall`. */
export function readToolRequest(payload: Payload): AgentRequest | undefined {
  return readCall(payload.tool_name ?? payload.toolName, asObject(readToolInput(payload)));
}

/** Members of a tool's input that are shown in a special form. All other members are shown by their names. */
export interface ToolForm {
  /** Member that is shown next to the tool's name. */
  readonly main?: string;
  /** True if a shell runs `main`. */
  readonly isShell?: true;
  /** Members that only explain the call; the agent may write anything there. */
  readonly said?: readonly string[];
  /** Member with a text that is removed from a file. */
  readonly removed?: string;
  /** Member with a text that is added to a file. */
  readonly added?: string;
}

/**
 * Describes a whole tool call, line by line: the tool, then every member of its input. Further lines of a value begin
 * with a mark, so that no value looks like another member. Undefined for a tool without a form, unless an MCP server
 * offers it, and if the input lacks the form's `main`.
 */
export function describeWhole(payload: Payload, forms: Readonly<Record<string, ToolForm>>) {
  const tool = asText(payload.tool_name) ?? "";
  const input = asObject(readToolInput(payload));
  const form = Object.hasOwn(forms, tool) ? forms[tool] : /^mcp__[\w-]+$/.test(tool) ? {} : undefined;
  if (!input || !form) return undefined;
  const { main = "", said = [], removed = "", added = "" } = form;
  if (main !== "" && typeof input[main] !== "string") return undefined;
  const others = Object.keys(input).filter((name) => ![main, ...said, removed, added].includes(name));
  return [
    ...(main === "" ? [describeRequests([readTool(tool)]).message] : continued(`${tool}: `, input[main])),
    ...marked("- ", input, removed),
    ...marked("+ ", input, added),
    ...others.flatMap((name) => continued(`${name}: `, input[name])),
    ...said.filter((name) => input[name] !== undefined).flatMap((name) => continued("the agent says: ", input[name])),
  ];
}

/**
 * Describes a whole form, line by line: each question with its numbered options, or the plan in the member `main` and
 * every other member of the input.
 */
export function describeForm({ input, questions }: PermissionForm, main: string): string[] {
  const others = Object.entries(input).filter(([name]) => name !== main && name !== "questions");
  const asked = questions.flatMap(({ text, options, first, isMultiple }) => [
    ...continued("", isMultiple ? `${text} (one or more)` : text),
    ...options.flatMap(({ label, details }, at) => continued(`  ${first + at}  `, [label, ...details].join(" — "))),
  ]);
  const plan = input[main] === undefined ? [] : asLines(input[main]);
  return [...asked, ...plan, ...others.flatMap(([name, value]) => continued(`${name}: `, value))];
}

/** Returns the command line of a tool whose form says that a shell runs it. */
export function findCommand(payload: Payload, forms: Readonly<Record<string, ToolForm>>): string | undefined {
  const tool = asText(payload.tool_name) ?? "";
  const form = Object.hasOwn(forms, tool) ? forms[tool] : undefined;
  return form?.isShell ? asText(asObject(readToolInput(payload))?.[form.main ?? ""]) : undefined;
}

function marked(mark: string, input: JsonObject, name: string): string[] {
  const value = input[name];
  if (value === undefined || value === "") return [];
  return asLines(value).map((line) => mark + line);
}

/** Puts a label before a value, and a mark before each further line. */
function continued(label: string, value: unknown): string[] {
  const [first = "", ...more] = asLines(value);
  return [label + first, ...more.map((line) => `  » ${line}`)];
}

function asLines(value: unknown): string[] {
  return typeof value === "string" && value !== "" ? value.split("\n") : [JSON.stringify(value)];
}
