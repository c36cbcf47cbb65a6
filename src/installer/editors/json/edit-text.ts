import type { Node } from "jsonc-parser";
import { type JsoncToken, scanTokens } from "../../../text/jsonc.ts";
import { insert, splice } from "../splice.ts";
import { hasLineEnd, indentAt, type Layout, renderJson, renderLine, renderMember } from "./layout.ts";

// jsonc-parser's own `modify` reformats the lines around an insertion. These functions change nothing else.

/** New child. A child of an object has a name, a child of an array has no name. */
export interface Addition {
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
