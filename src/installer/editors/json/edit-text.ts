import type { Node } from "jsonc-parser";
import { type JsoncToken, scanTokens } from "../../../text/jsonc.ts";
import { insert, splice } from "../editor.ts";

// jsonc-parser's own `modify` reformats the lines around an insertion. These functions change nothing else.

/** New child. A child of an object has a name, a child of an array has no name. */
interface Addition {
  readonly name?: string;
  readonly value: unknown;
}

/** Adds a child at the end of an object or array node. No other character changes. */
export function addChild(text: string, parent: Node, addition: Addition, layout: Layout): string {
  const first = parent.children?.[0];
  const last = parent.children?.at(-1);
  if (!first || !last) return addOnlyChild(text, parent, addition, layout);
  const inside = text.slice(parent.offset, readEnd(parent));
  const rest = [...scanTokens(text, readEnd(last), readEnd(parent) - 1)];
  const comma = rest.find((token) => token.char === ",");
  const ownLines = hasLineEnd(text.slice(parent.offset, first.offset));
  const indent = indentAt(text, ownLines ? last.offset : parent.offset);
  const added = (hasLineEnd(inside) ? render : renderFlat)(addition, layout, indent) + (comma ? "," : "");
  if (!ownLines) return insert(text, comma?.end ?? readEnd(last), (comma ? "" : ",") + layout.spacing.comma + added);
  // Comments after the last child stay with it; the new child follows on its own line.
  const withAdded = insert(text, rest.at(-1)?.end ?? readEnd(last), layout.eol + indent + added);
  return comma ? withAdded : insert(withAdded, readEnd(last), ",");
}

function addOnlyChild(text: string, parent: Node, addition: Addition, layout: Layout): string {
  const close = readEnd(parent) - 1;
  const at = [...scanTokens(text, parent.offset, close)].at(-1)?.end ?? parent.offset + 1;
  if (layout.oneLine) return insert(text, at, renderFlat(addition, layout));
  const outer = indentAt(text, parent.offset);
  const indent = outer + layout.unit;
  const tail = hasLineEnd(text.slice(at, close)) ? "" : layout.eol + outer;
  return insert(text, at, layout.eol + indent + render(addition, layout, indent) + tail);
}

function render({ name, value }: Addition, layout: Layout, indent: string): string {
  const json = renderJson(value, layout, indent);
  return name === undefined ? json : renderMember(name, json, " ");
}

function renderFlat({ name, value }: Addition, { spacing }: Layout): string {
  const json = renderLine(value, spacing);
  return name === undefined ? json : renderMember(name, json, spacing.colon);
}

/** Removes a child of an object or array node, with its comma and white space. */
export function removeChild(text: string, parent: Node, child: Node): string {
  const siblings = parent.children ?? [];
  const index = siblings.indexOf(child);
  const previous = siblings[index - 1];
  const from = previous ? readEnd(previous) : parent.offset + 1;
  const to = siblings[index + 1]?.offset ?? readEnd(parent) - 1;
  const before = [...scanTokens(text, from, child.offset)];
  const after = [...scanTokens(text, readEnd(child), to)];
  const isComma = (token: JsoncToken) => token.char === ",";
  if (siblings.length === 1 && [...before, ...after].every(isComma)) return splice(text, { start: from, end: to });
  const commaAfter = after.find(isComma);
  const comma = commaAfter ?? before.find(isComma);
  const gap = text.slice(readEnd(child), commaAfter?.start ?? to);
  const follows = gap + (commaAfter ? text.slice(commaAfter.end, to) : "");
  // Removing the line end of a line comment would make the following text part of the comment.
  const comment = before.at(-1);
  const keepLine = comment && text.startsWith("//", comment.start) && !/^[\r\n]/.test(follows);
  const start = keepLine ? child.offset : (before.at(-1)?.end ?? from);
  return splice(text, { start, end: readEnd(child) }, ...(comma ? [comma] : []));
}

/** Returns the offset after a node. */
function readEnd(node: Node): number {
  return node.offset + node.length;
}

/** Layout of a JSON text. */
interface Layout {
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
interface Spacing {
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
function hasLineEnd(text: string): boolean {
  return /[\r\n]/.test(text);
}

/** Returns the indentation of the line at an offset. */
function indentAt(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const lineStart = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  return /^[ \t]*/.exec(before.slice(lineStart))?.[0] ?? "";
}

/** Formats a value as JSON in a file's layout, with `indent` before each line but the first. */
function renderJson(value: unknown, layout: Layout, indent: string): string {
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
function renderLine(value: unknown, spacing: Spacing): string {
  const { colon, comma, brace } = spacing;
  if (Array.isArray(value)) return `[${value.map((each) => renderLine(each, spacing)).join(`,${comma}`)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => renderMember(name, renderLine(each, spacing), colon));
  return members.length === 0 ? "{}" : `{${brace}${members.join(`,${comma}`)}${brace}}`;
}

/** Formats an object's member with a formatted value. */
function renderMember(name: string, value: string, colon: string): string {
  return `${JSON.stringify(name)}:${colon}${value}`;
}
