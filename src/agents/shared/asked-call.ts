import { type Payload, readToolInput } from "../../core/agent.ts";
import { asObject, asText, type JsonObject } from "../../core/json-value.ts";

/** Members of a tool's input that are shown in a special form. All other members are shown by their names. */
export interface ToolForm {
  /** Member that is shown next to the tool's name. */
  readonly main?: string;
  /** Members that only explain the call; the agent may write anything there. */
  readonly said?: readonly string[];
  /** Member with a text that is removed from a file. */
  readonly removed?: string;
  /** Member with a text that is added to a file. */
  readonly added?: string;
}

/**
 * Finds the form of a tool: one of `forms`, or a plain form for a tool of an MCP server. Undefined for any other tool.
 */
function findToolForm(tool: string, forms: Readonly<Record<string, ToolForm>>): ToolForm | undefined {
  if (Object.hasOwn(forms, tool)) return forms[tool];
  return /^mcp__[\w-]+$/.test(tool) ? {} : undefined;
}

/**
 * Describes a whole tool call, line by line: the tool, then every member of its input. Further lines of a value begin
 * with a mark, so that no value looks like another member. Undefined if `findToolForm` finds no form, or if the input
 * lacks the form's `main`.
 */
export function describeWhole(payload: Payload, forms: Readonly<Record<string, ToolForm>>) {
  const tool = asText(payload.tool_name);
  const input = asObject(readToolInput(payload));
  const form = tool === undefined ? undefined : findToolForm(tool, forms);
  if (tool === undefined || !input || !form) return undefined;
  const { main = "", said = [], removed = "", added = "" } = form;
  if (main !== "" && typeof input[main] !== "string") return undefined;
  const others = Object.keys(input).filter((name) => ![main, ...said, removed, added].includes(name));
  return [
    ...(main === "" ? [tool] : continued(`${tool}: `, input[main])),
    ...marked("- ", input, removed),
    ...marked("+ ", input, added),
    ...others.flatMap((name) => continued(`${name}: `, input[name])),
    ...said.filter((name) => input[name] !== undefined).flatMap((name) => continued("the agent says: ", input[name])),
  ];
}

function marked(mark: string, input: JsonObject, name: string): string[] {
  const value = input[name];
  if (value === undefined || value === "") return [];
  return asLines(value).map((line) => mark + line);
}

/** Puts a label before a value, and a mark before each further line. */
function continued(label: string, value: unknown): string[] {
  const [first = "", ...more] = asLines(value);
  return [label + first, ...more.map((line) => `  | ${line}`)];
}

function asLines(value: unknown): string[] {
  return typeof value === "string" && value !== "" ? value.split("\n") : [JSON.stringify(value)];
}
