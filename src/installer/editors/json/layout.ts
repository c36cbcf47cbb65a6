import type { Node } from "jsonc-parser";

/** The layout of a JSON text. */
export interface Layout {
  readonly eol: string;
  /** One level of indentation. */
  readonly unit: string;
  /** The whole value is on one line and not empty: what is added stays on that line. */
  readonly oneLine: boolean;
  readonly spacing: Spacing;
}

/** The spaces between the parts of a line: one, or none. */
export interface Spacing {
  /** After a colon. */
  readonly colon: string;
  /** After a comma. */
  readonly comma: string;
  /** Inside braces. */
  readonly brace: string;
}

/** The layout of a text; two spaces and `\n` where it does not show any. */
export function layoutOf(text: string, root: Node): Layout {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
  const first = root.children?.[0];
  const onOwnLine = first !== undefined && hasLineEnd(text.slice(root.offset, first.offset));
  const unit = onOwnLine ? indentAt(text, first.offset).slice(indentAt(text, root.offset).length) : "";
  const inside = text.slice(root.offset, root.offset + root.length);
  const oneLine = first !== undefined && !hasLineEnd(inside);
  return { eol, unit: unit || "  ", oneLine, spacing: spacingOf(text, root, oneLine) };
}

/** Spacing as in the first members; after a comma as after a colon if there is no example. */
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

/** Whether a text has a line end. */
export function hasLineEnd(text: string): boolean {
  return /[\r\n]/.test(text);
}

/** The white space at the start of the line that an offset is in. */
export function indentAt(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const lineStart = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  return /^[ \t]*/.exec(before.slice(lineStart))?.[0] ?? "";
}

/** A value as JSON in a file's layout. Lines but the first are indented by `indent`. */
export function renderJson(value: unknown, layout: Layout, indent: string): string {
  // JSON strings cannot contain tabs, so each leading tab is one level.
  const lines = JSON.stringify(value, null, "\t").split("\n");
  const laidOut = lines.map((line) => line.replace(/^\t*/, (tabs) => layout.unit.repeat(tabs.length)));
  return laidOut.join(layout.eol + indent);
}

/** A value as JSON on one line, with a file's spacing. */
export function renderLine(value: unknown, spacing: Spacing): string {
  const { colon, comma, brace } = spacing;
  if (Array.isArray(value)) return `[${value.map((each) => renderLine(each, spacing)).join(`,${comma}`)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => renderMember(name, renderLine(each, spacing), colon));
  return members.length === 0 ? "{}" : `{${brace}${members.join(`,${comma}`)}${brace}}`;
}

/** A member of an object whose value is rendered already. */
export function renderMember(name: string, value: string, colon: string): string {
  return `${JSON.stringify(name)}:${colon}${value}`;
}
