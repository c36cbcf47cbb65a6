/** Markup: text that is escaped already, or was written here. */
export class Html {
  readonly text: string;
  /** @param text what is markup; foreign text goes through `html` */
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
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

/** A text as it stands between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Markup with values in it: a text is escaped, markup is not, the parts of a list follow one another. */
export function html(markup: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(markup.reduce((text, piece, n) => text + textOf(parts[n - 1] ?? "") + piece));
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  return typeof part === "object" ? part.map(textOf).join("") : escapeHtml(String(part));
}
