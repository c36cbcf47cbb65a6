import type { Node } from "jsonc-parser";

/** How a file is laid out, as far as its own text shows it. */
export interface Layout {
  readonly eol: string;
  /** One level of indentation. */
  readonly unit: string;
  /** The whole value stands on one line and is not empty: what is added stays on that line. */
  readonly oneLine: boolean;
  readonly spacing: Spacing;
}

/** What stands between the parts of a line: a space or nothing. */
export interface Spacing {
  /** Behind a colon. */
  readonly colon: string;
  /** Behind a comma. */
  readonly comma: string;
  /** Inside braces. */
  readonly brace: string;
}

/** The layout of a file; where the text shows none, two spaces and `\n`. */
export function layoutOf(text: string, root: Node): Layout {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
  const first = root.children?.[0];
  const onOwnLine = first !== undefined && hasLineEnd(text.slice(root.offset, first.offset));
  const unit = onOwnLine ? indentAt(text, first.offset).slice(indentAt(text, root.offset).length) : "";
  const inside = text.slice(root.offset, root.offset + root.length);
  const oneLine = first !== undefined && !hasLineEnd(inside);
  return { eol, unit: unit || "  ", oneLine, spacing: spacingOf(text, root, oneLine) };
}

/** As the first members show it; a comma without an example goes with the colon. */
function spacingOf(text: string, root: Node, oneLine: boolean): Spacing {
  const [first, second] = root.children ?? [];
  const value = first?.children?.[1];
  if (!first || !value || first.colonOffset === undefined) return { colon: " ", comma: " ", brace: "" };
  const between = (start: number, end: number) => (text.slice(start, end) === "" ? "" : " ");
  const colon = between(first.colonOffset + 1, value.offset);
  const end = first.offset + first.length;
  const comma = oneLine && second ? between(text.indexOf(",", end) + 1, second.offset) : colon;
  return { colon, comma, brace: oneLine ? between(root.offset + 1, first.offset) : "" };
}

export function hasLineEnd(text: string): boolean {
  return /[\r\n]/.test(text);
}

/** The white space at the start of the line an offset is in. */
export function indentAt(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const lineStart = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  return /^[ \t]*/.exec(before.slice(lineStart))?.[0] ?? "";
}

/** A value as JSON in a file's layout. Lines but the first are indented by `indent`. */
export function renderJson(value: unknown, layout: Layout, indent: string): string {
  // Tabs cannot occur inside JSON strings, so each leading one stands for one level.
  const lines = JSON.stringify(value, null, "\t").split("\n");
  const laidOut = lines.map((line) => line.replace(/^\t*/, (tabs) => layout.unit.repeat(tabs.length)));
  return laidOut.join(layout.eol + indent);
}

/** A value as JSON on one line, its parts as far apart as a file's own. */
export function renderLine(value: unknown, spacing: Spacing): string {
  const { colon, comma, brace } = spacing;
  if (Array.isArray(value)) return `[${value.map((each) => renderLine(each, spacing)).join(`,${comma}`)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => renderMember(name, renderLine(each, spacing), colon));
  return members.length === 0 ? "{}" : `{${brace}${members.join(`,${comma}`)}${brace}}`;
}

/** A member of an object, its value rendered already. */
export function renderMember(name: string, value: string, colon: string): string {
  return `${JSON.stringify(name)}:${colon}${value}`;
}
