const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** Reads the visible text of a small piece of HTML: `<br>` is a line end, other tags vanish, references are decoded. */
export function readHtmlText(html: string): string {
  return html
    .replace(/<br>/g, "\n")
    .replace(/<[^<>]*>/g, "")
    .replace(/&(?:#(\d+)|(\w+));/g, (whole, code, name) =>
      code === undefined ? (named[name] ?? whole) : String.fromCodePoint(Number(code)),
    );
}
