import { clean } from "./clean.ts";

/** Safe markup for a page: markup from beckon's source code, in which all other text is escaped. */
export class Html {
  readonly text: string;
  /** @param text markup from the source code; other text must be escaped with `html` */
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Part[];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for use between tags or in a quoted attribute, and removes control and bidirectional characters. */
export function escapeHtml(text: string): string {
  return clean(text).replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Writes `&`, `<` and `>` as entities, for markup that other programs read. */
export function escapeEntities(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? "");
}

/** Template tag for markup that contains values. Escapes texts, but not `Html`, and joins the items of lists. */
export function html(markup: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(markup.reduce((text, piece, n) => text + renderPart(parts[n - 1] ?? "") + piece));
}

/** Renders a page. @param head what the page's head has besides the usual `meta` elements */
export function renderDocument(head: Html, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
${head}
</head>
<body>
${body}
</body>
</html>
`;
}

function renderPart(part: Part): string {
  if (part instanceof Html) return part.text;
  return typeof part === "object" ? part.map(renderPart).join("") : escapeHtml(String(part));
}
