import type { Node } from "jsonc-parser";

/** Layout of a JSON text. */
export interface Layout {
  readonly eol: string;
  /** White space of one indentation level. */
  readonly unit: string;
  /** True if the text is a non-empty object on a single line. Additions then go to the same line. */
  readonly oneLine: boolean;
  readonly spacing: Spacing;
  /**
   * Maximum length of a line that holds a whole array, in characters; default: 0. A longer array gets one line per
   * value.
   */
  readonly flatArrayChars?: number;
}

/** Spacing within a line. Each member is one space or empty. */
export interface Spacing {
  /** Space after a colon. */
  readonly colon: string;
  /** Space after a comma. */
  readonly comma: string;
  /** Space inside braces. */
  readonly brace: string;
}

/** Detects the layout of a text. Default: two spaces and `\n`. */
export function detectLayout(text: string, root: Node): Layout {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
  const first = root.children?.[0];
  const onOwnLine = first !== undefined && hasLineEnd(text.slice(root.offset, first.offset));
  const unit = onOwnLine ? indentAt(text, first.offset).slice(indentAt(text, root.offset).length) : "";
  const inside = text.slice(root.offset, root.offset + root.length);
  const oneLine = first !== undefined && !hasLineEnd(inside);
  return { eol, unit: unit || "  ", oneLine, spacing: detectSpacing(text, root, oneLine) };
}

/**
 * Detects the spacing of the first two members. In a text of several lines, or with only one member, no comma shows the
 * spacing, so commas get the spacing of colons.
 */
function detectSpacing(text: string, root: Node, oneLine: boolean): Spacing {
  const [first, second] = root.children ?? [];
  const value = first?.children?.[1];
  if (!first || !value || first.colonOffset === undefined) return { colon: " ", comma: " ", brace: "" };
  const between = (start: number, end: number) => (text.slice(start, end) === "" ? "" : " ");
  const colon = between(first.colonOffset + 1, value.offset);
  const end = first.offset + first.length;
  const comma = oneLine && second ? between(text.indexOf(",", end) + 1, second.offset) : colon;
  return { colon, comma, brace: oneLine ? between(root.offset + 1, first.offset) : "" };
}

/** Checks a text for a line end. */
export function hasLineEnd(text: string): boolean {
  return /[\r\n]/.test(text);
}

/** Returns the indentation of the line at an offset. */
export function indentAt(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const lineStart = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  return /^[ \t]*/.exec(before.slice(lineStart))?.[0] ?? "";
}

/** Formats a value as JSON in a file's layout, with `indent` before each line but the first. */
export function renderJson(value: unknown, layout: Layout, indent: string): string {
  // JSON strings cannot contain tabs, so each leading tab is one level.
  const lines = flattenArrays(JSON.stringify(value, null, "\t"), layout.flatArrayChars ?? 0).split("\n");
  const laidOut = lines.map((line) => line.replace(/^\t*/, (tabs) => layout.unit.repeat(tabs.length)));
  return laidOut.join(layout.eol + indent);
}

/** Puts each array that contains no arrays or objects on one line, if that line has at most `lineChars` characters. */
function flattenArrays(json: string, lineChars: number): string {
  return json.replace(/^(.*)\[\n([^[\]{}]*?)\n\t*\](?=,?$)/gm, (spread: string, start: string, items: string) => {
    const flat = `${start}[${items
      .split("\n")
      .map((item) => item.trimStart())
      .join(" ")}]`;
    return flat.length <= lineChars ? flat : spread;
  });
}

/** Formats a value as JSON on one line, with a file's spacing. */
export function renderLine(value: unknown, spacing: Spacing): string {
  const { colon, comma, brace } = spacing;
  if (Array.isArray(value)) return `[${value.map((each) => renderLine(each, spacing)).join(`,${comma}`)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => renderMember(name, renderLine(each, spacing), colon));
  return members.length === 0 ? "{}" : `{${brace}${members.join(`,${comma}`)}${brace}}`;
}

/** Formats an object's member with a formatted value. */
export function renderMember(name: string, value: string, colon: string): string {
  return `${JSON.stringify(name)}:${colon}${value}`;
}
