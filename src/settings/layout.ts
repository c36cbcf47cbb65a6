import type { Node } from "jsonc-parser";

/** How a file is laid out, as far as its own text shows it. */
export interface Layout {
  readonly eol: string;
  /** One level of indentation. */
  readonly unit: string;
  /** The whole value stands on one line and is not empty: what is added stays on that line. */
  readonly oneLine: boolean;
}

/** The layout of a file; where the text shows none, two spaces and `\n`. */
export function layoutOf(text: string, root: Node): Layout {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
  const first = root.children?.[0];
  const onOwnLine = first !== undefined && hasLineEnd(text.slice(root.offset, first.offset));
  const unit = onOwnLine ? indentAt(text, first.offset).slice(indentAt(text, root.offset).length) : "";
  const inside = text.slice(root.offset, root.offset + root.length);
  return { eol, unit: unit || "  ", oneLine: first !== undefined && !hasLineEnd(inside) };
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
