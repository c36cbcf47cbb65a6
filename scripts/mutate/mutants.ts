import { parseSync } from "rolldown/experimental";

/** Small change to a source text. */
export interface Mutant {
  /** UTF-16 offsets of the replaced text. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** Offsets of the expression or statement around the replaced text. */
  readonly within: { readonly start: number; readonly end: number };
  /** Line of the mutant, from 1. */
  readonly line: number;
  /** Original line and the change to it; independent of the line's number. */
  readonly description: string;
}

/** Node of the syntax tree (ESTree), with the fields used here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}
type Change = Pick<Mutant, "start" | "end" | "replacement" | "within">;

const operators: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "&&": "||",
  "||": "&&",
  "??": "&&",
};
/** Matches the types of nodes that do not run: types and module names. */
const skipped = /^TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|^Import|^ExportAll/;

/** Lists every mutant of a TypeScript text, in order. @throws {Error} if the text cannot be parsed */
export function findMutants(text: string): Mutant[] {
  const { program, errors } = parseSync("source.ts", text);
  if (errors.length > 0) throw new Error(String(errors[0]?.message));
  const changes = [...nodesIn(program as unknown as Node)].flatMap((node) => listChanges(node, text));
  return changes.toSorted((a, b) => a.start - b.start).map((change) => describe(change, text));
}

function* nodesIn(node: Node): Generator<Node> {
  if (skipped.test(node.type) || isCrashPoint(node)) return;
  yield node;
  for (const child of Object.values(node).flat()) if (isNode(child)) yield* nodesIn(child);
}

/** True for a call that only kills the process in a test. */
function isCrashPoint({ expression }: Node): boolean {
  const callee = isNode(expression) ? expression["callee"] : undefined;
  return isNode(callee) && callee["name"] === "crashPoint";
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function listChanges(node: Node, text: string): Change[] {
  const change = ({ start, end }: Node, replacement: string): Change => ({
    ...{ start, end, replacement },
    within: { start, end },
  });
  const whole = (replacement: string): Change => change(node, replacement);
  const instead = (part: unknown, ...replacements: string[]): Change[] =>
    isNode(part) ? replacements.map((replacement) => change(part, replacement)) : [];
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return operatorChange(node, text);
    case "UnaryExpression":
      return node["operator"] === "!" && isNode(node["argument"]) ? [whole(sliceText(node["argument"], text))] : [];
    case "IfStatement":
    case "ConditionalExpression":
      return instead(node["test"], "true", "false");
    case "ExpressionStatement":
      return isNode(node["expression"]) && /Call|Await|Assign/.test(node["expression"].type) ? [whole(";")] : [];
    case "Literal":
      return literalChange(node).map(whole);
    default:
      return [];
  }
}

function operatorChange({ left, right, operator, ...within }: Node, text: string): Change[] {
  const other = operators[String(operator)];
  if (other === undefined || !isNode(left) || !isNode(right)) return [];
  const between = text
    .slice(left.end, right.start)
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, (comment) => " ".repeat(comment.length));
  const start = left.end + between.indexOf(String(operator));
  const { start: first, end: last } = within;
  return [{ start, end: start + String(operator).length, replacement: other, within: { start: first, end: last } }];
}

/**
 * Returns other values of the same type: the opposite, the next number, an empty text, a pattern without one of its
 * anchors.
 */
function literalChange({ value, raw, regex }: Node): string[] {
  if (regex)
    return [/^\/\^/, /\$(?=\/[a-z]*$)/]
      .filter((anchor) => anchor.test(String(raw)))
      .map((anchor) => withoutAnchor(String(raw), anchor));
  if (typeof value === "boolean") return [String(!value)];
  if (typeof value === "number") return [String(value + 1)];
  return typeof value === "string" && value !== "" ? ['""'] : [];
}

function withoutAnchor(raw: string, anchor: RegExp): string {
  return raw.replace(anchor, (found) => (found === "/^" ? "/" : ""));
}

function describe(change: Change, text: string): Mutant {
  const before = text.slice(0, change.start).split("\n");
  const line = before.length;
  const whole = text.split("\n")[line - 1]?.trim() ?? "";
  const column = (before.at(-1) ?? "").trimStart().length;
  const part = text.slice(change.start, change.end).replace(/\s+/g, " ").slice(0, 60);
  return {
    ...change,
    line,
    description: `${whole} | ${column}: ${part} → ${change.replacement.replace(/\s+/g, " ").slice(0, 60)}`,
  };
}

function sliceText({ start, end }: Node, text: string): string {
  return text.slice(start, end);
}
