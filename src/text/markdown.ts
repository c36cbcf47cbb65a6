import { Lexer, type Token, type Tokens } from "marked";
import { clean, cleanLine } from "./clean.ts";

/** Part of a text. */
export interface Block {
  readonly rank: "prose" | "quote" | "heading" | "row" | "code" | "picture";
  /** Text on one line, without Markdown. Question marks that ask nothing are `codeMark`. */
  readonly text: string;
  /** Number of lists around it. */
  readonly depth: number;
  /** True in a numbered list. */
  readonly isNumbered?: boolean;
}

/** Stands for a question mark of code or an address, which asks nothing. */
export const codeMark = "\ufdd0";

/** Matches whatever may be Markdown, or drawn. */
const markup = /[`*~<[\\|─━═╭┌╔┏]|&\w+;|(?<!\w)_|^ {0,3}(?:[-+#>=]|\d{1,9}[.)]\s)|^(?:\t| {4})/m;

/** Match front matter, folded parts, and what is drawn around words. They are the answer only if nothing is left. */
const asides = [
  /^\s*(---|\+\+\+)\n(?:[\w-]+ ?[:=].*\n|[ \t#-].*\n)+\1[ \t]*(?:\n|$)/,
  /^[ \t]*<details\b[^>]{0,200}>[\s\S]*?(?:<\/details>|(?![\s\S]))/gim,
  /^[ \t]*(?:[╭┌╔┏][─━═]|\+[=-]{2,}\+|`?[^\n\p{L}]{0,9}\p{L}[^\n─━═]{0,80}[─━═]{3}).*\n[\s\S]*?^[ \t`]*(?:[╰└╚┗─━═][─━═]|\+[=-]).*$/gmu,
  /^[ \t`]*[╭┌╔┏╰└╚┗]?[─━═]{3}.*|^.*[─━═]{3,}`?[ \t]*$|^ {0,3}([=-])\1{2,}[ \t][^|\n]*\1{3}[ \t]*$/gm,
  /^[ \t]*[│║┃]|[│║┃][ \t]*$/gm,
];
/** Matches more lists and quotations in each other than people write. The lexer calls itself for each. */
const deepMarks = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){12,}/gm;
/** Maximum number of marks of emphasis; the lexer's time grows with its square. */
const maxEmphases = 800;
/** V8 compiles a pattern twice if the first text is shorter than 1,000 characters, and the lexer takes 20 ms, not 7. */
const padding = "\n".repeat(1000);

/**
 * Matches code, comments, tags of elements that only format, bold text next to a letter of a script without spaces, and
 * marks that belong to code: `__init__.py`, `2*3*4`, `src/*.ts and lib/*.ts`, `COUNT(*)`, `~5ms–~10ms`, `C:\_a`.
 */
const special = new RegExp(
  [
    "(`{3,})[^]*?\\1|(`{1,2})(?!`).+?\\2|<!--[^]*?(?:-->|$(?![^]))",
    "(?<![{=])<(/?)((?:abbr|[abiqsu]|br|cite|code|del|em|font|hr|img|ins|kbd|mark|small|span|strike|strong|sub|sup|tt|blockquote|center|details|div|h[1-6]|li|ol|p|pre|summary|table|tbody|t[dhr]|thead|ul))(?=[\\s/>])[^<>]*>(?!\\})",
    "\\*\\*(?=\\S)[^*\\n]*[^\\0-\\x7f]\\*\\*(?=[^\\0-\\x7f])|(?<=[^\\0-\\x7f])\\*\\*[^\\0-\\x7f][^*\\n]*\\*\\*",
    "(?<=\\w)\\*+(?=\\w)|(?<=/)(?:\\*\\*(?=/)|\\*(?=[.,/]))|(?<=\\()\\*(?=\\))|(?<!~)~(?!~)",
    "(?<=[/.$])_+(?=\\w)|__(?=\\w+__[./\\\\(=[]|(?:init|main|name|file|all|dict|doc|proto|dirname|filename)__)",
    "(?<=\\\\[\\w.-]+|\\b[A-Z]:)\\\\(?=\\W|_)",
  ].join("|"),
  "gm",
);

/** Writes in plain Markdown what the lexer would read in another way than people do. */
function toMarkdown(text: string): string {
  return text.replace(special, (found, ...[, , end, name]: (string | undefined)[]) => {
    if (found.startsWith("`")) return found.replaceAll("?", codeMark);
    if (found.startsWith("<!--")) return "";
    if (found.startsWith("**") && found.length > 4) return found.slice(2, -2);
    if (name === undefined) return found.replace(/./g, "\\$&");
    // Without the other end, it is a word: "<b> is bold".
    const isTag = text.includes(end === "" ? `</${name}>` : `<${name}`) || /^<(?:br|details|(?:hr|img).*=)/.test(found);
    return isTag ? (/^(?:[abiqsu]|code|del|em|kbd|span|strong|su[bp])$/.test(name) ? "" : " ") : `\\${found}`;
  });
}

/** Splits a Markdown text into paragraphs, items, headings, table rows and lines of code, in order. */
export function readBlocks(text: string): readonly Block[] {
  const whole = clean(text).replace(/\?(?=\.?[^\W_]|[=&#/])/g, codeMark);
  if (markup.test(whole) && whole.split(/[*_]+/).length <= maxEmphases) {
    const answer = asides.reduce((rest, aside) => rest.replace(aside, "").trimEnd() || rest, whole);
    const source = toMarkdown(answer.replace(deepMarks, "")) + padding;
    try {
      const blocks = new Lexer().lex(source).flatMap((token) => readBlock(token, { depth: 0 }));
      return blocks.filter((block) => block.text !== "");
    } catch {
      // marked 18.2.1 throws on "-\ta\n\t>-\na".
    }
  }
  return whole.split(/\n\s*\n/).map((part) => ({ rank: "prose", text: cleanLine(part), depth: 0 }));
}

function readBlock(token: Token, place: Pick<Block, "depth"> & Partial<Block>): Block[] {
  const { type, raw, text: source = "", tokens = [{ type: "text", raw, text: source }] } = token as Tokens.Generic;
  const block = (rank: Block["rank"], text: string): Block => ({ rank, ...place, text: cleanLine(text) });
  if (type === "list") {
    const { items, ordered } = token as Tokens.List;
    const inside = { ...place, depth: place.depth + 1, isNumbered: ordered };
    return items.flatMap((item) => item.tokens.flatMap((part) => readBlock(part, inside)));
  }
  if (type === "blockquote") return tokens.flatMap((part) => readBlock(part, { ...place, rank: "quote" }));
  if (type === "table") {
    const { header, rows } = token as Tokens.Table;
    return [...rows, header].map((row, index) => {
      const cells = row.map((cell) => cell.tokens.map(readInline).join("")).filter(Boolean);
      return block(index < rows.length ? "row" : "code", cells.join(cells.length === 2 ? ": " : ", "));
    });
  }
  if (type === "code") return source.split("\n").map((line: string) => block("code", line));
  if (!["heading", "paragraph", "text", "html"].includes(type)) return [];
  const text = tokens.map(readInline).join("");
  if (tokens.every((part) => /^\s*$|^\[?!\[/.test(part.raw))) return [block("picture", text)];
  // A bold line is a title, and a paragraph right above a rule is no heading, unless it is a sentence.
  const isTitle = type === "heading" || /^(\*\*|__)(?:(?!\1).)+\1:?\s*$/.test(raw);
  const isSentence = !raw.trim().startsWith("#") && /[.!?。！？؟۔]["'”’»)\]]*\s*$/.test(text);
  return [block(isTitle && !isSentence ? "heading" : "prose", text)];
}

const entities = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&#39;": "'", "&nbsp;": " " };

/** Returns the text of inline Markdown: of links, pictures, code and emphasis. */
function readInline({ type, text, tokens }: Tokens.Generic): string {
  if (type === "checkbox" || type === "br") return " ";
  if (type !== "text" || tokens) return tokens?.map(readInline).join("") ?? text;
  return text.replace(/&[#\w]+;/g, (name: string) => ({ ...entities })[name as keyof typeof entities] ?? name);
}
