import { clean } from "./clean.ts";

/** Safe markup for a page: written in the source, or escaped. */
export class Html {
  readonly text: string;
  /** @param text markup from the source; other text must go through `html` */
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

/** Tag for markup with values in it. Texts are escaped, `Html` is not, and list items are joined. */
export function html(markup: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(markup.reduce((text, piece, n) => text + renderPart(parts[n - 1] ?? "") + piece));
}

function renderPart(part: Part): string {
  if (part instanceof Html) return part.text;
  return typeof part === "object" ? part.map(renderPart).join("") : escapeHtml(String(part));
}
