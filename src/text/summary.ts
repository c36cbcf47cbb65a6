import { htmlTagNames } from "html-tag-names";
import { clean, cleanLine } from "./clean.ts";
import { cut, lengthIn } from "./cut.ts";

const maxGraphemes = 160;
/** Length below which a first sentence, such as "Done!", says too little alone. */
const minSentenceChars = 16;
/** Maximum number of characters read of an answer, which may have megabytes. */
const readChars = 4096;

/** Matches abbreviations that Unicode's rules take for the end of a sentence. */
const abbreviation = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|ca|approx|resp|incl|fig|mr|mrs|dr)\.\s*$/i;

/** Matches placeholders that agents write for a missing answer. */
const noAnswer = /^\s*[([]?\s*(?:no (?:content|answer|output|response(?: requested)?)|empty)\s*[)\]]?\.?\s*$/i;

/** Tells if an answer has no content, such as `(no content)`. */
export function isEmptyAnswer(text: string): boolean {
  return noAnswer.test(text);
}

/**
 * Summarizes an answer in one line: its first sentence without Markdown and its closing question, at most 160
 * graphemes. Headings, tables and code are used only if there is nothing else. Empty for an empty text.
 */
export function summarize(text: string): string {
  if (isEmptyAnswer(text)) return "";
  const blocks = splitBlocks(stripHtml(clean(text.slice(0, readChars))));
  const findText = (rank: Rank): string => blocks.find((block) => block.rank === rank && block.text)?.text ?? "";
  const first = firstSentence(findText("prose") || findText("heading") || findText("row") || findText("code"));
  const question = closingQuestion(
    text.length > readChars ? splitBlocks(stripHtml(clean(text.slice(-readChars)))) : blocks,
  );
  if (question === undefined || first.endsWith(question)) return cut(first, maxGraphemes, "graphemes");
  // The question must stay complete; the sentence may be cut.
  const roomGraphemes = maxGraphemes - lengthIn("graphemes", question) - 1;
  const start = roomGraphemes < minSentenceChars ? "" : cut(first, roomGraphemes, "graphemes");
  return cut(`${start} ${question}`.trim(), maxGraphemes, "graphemes");
}

/** Finds the question at the end of an answer, or before a closing list of choices. */
function closingQuestion(blocks: readonly Block[]): string | undefined {
  const last = blocks.findLast(({ text, isItem }) => text !== "" && !isItem);
  if (last?.rank !== "prose" || !questionEnd.test(last.text.trim())) return undefined;
  return splitSentences(last.text)
    .map((sentence) => sentence.trim())
    .findLast((sentence) => sentence !== "");
}

/** Matches a question mark of any script at the end, with closing punctuation after it. */
const questionEnd = /[?？؟]["'”’»)\]]*$/u;

type Rank = "prose" | "heading" | "row" | "code";
interface Block {
  readonly rank: Rank;
  /** Text on one line, without Markdown. */
  readonly text: string;
  readonly isItem?: boolean;
}

const fence = /^\s*(?:```|~~~)/;
const rule = /^\s*(?:[-*_=]\s*){3,}$/;
const tableRow = /^\s*\|/;
const heading = /^\s*#{1,6}\s|^\s*(\*\*|__)[^*_]+\1:?\s*$/;
const listMark = /^\s*(?:[-*+•]\s|\d{1,3}[.)]\s)/;
const mark = /^\s*(?:#{1,6}\s+|>|[-*+•]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+)/;

/** Splits a text into paragraphs, list items, headings and lines of code, in order. */
function splitBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  let isInCode = false;
  let isItem = false;
  const endParagraph = (): void => {
    if (paragraph.length > 0) blocks.push({ rank: "prose", text: stripMarkdown(paragraph.join(" ")), isItem });
    paragraph = [];
  };
  let previous = "";
  for (const line of text.split("\n")) {
    const standsAlone = isInCode || fence.test(line) || rule.test(line) || tableRow.test(line) || heading.test(line);
    if (standsAlone || mark.test(line) || line.trim() === "") endParagraph();
    if (fence.test(line)) isInCode = !isInCode;
    else if (!isInCode && tableRow.test(line)) blocks.push(readRow(line, previous));
    else if (isInCode) blocks.push({ rank: "code", text: cleanLine(line) });
    else if (heading.test(line)) blocks.push({ rank: "heading", text: stripMarkdown(line) });
    else if (!rule.test(line) && line.trim() !== "") {
      if (paragraph.length === 0) isItem = listMark.test(line);
      paragraph.push(stripLineMarks(line));
    }
    previous = line;
  }
  endParagraph();
  return blocks;
}

const tableRule = /^\s*\|?[\s:|-]+\|?\s*$/;

/** Reads a table row. The head of a table and the line of dashes below it do not count as content. */
function readRow(line: string, previous: string): Block {
  const cells = line
    .split("|")
    .map(stripMarkdown)
    .filter((cell) => cell !== "");
  const isHead = !tableRow.test(previous);
  if (isHead || tableRule.test(line)) return { rank: "code", text: tableRule.test(line) ? "" : cleanLine(line) };
  return { rank: "row", text: cells.length === 2 ? cells.join(": ") : cells.join(", ") };
}

const comment = /<!--[\s\S]*?-->|^[ \t]*<!--[\s\S]*/gm;
const foldedPart = /^[ \t]*<details\b[^>]{0,200}>[\s\S]*?(?:<\/details>|(?![\s\S]))/gim;
const blockTag = "p|div|br|hr|h[1-6]|li|ol|ul|tr|table|details|summary|blockquote|pre";
/** Matches an HTML tag, or inline code, in which tags are plain text. */
const tagOrCode = new RegExp(
  `\`[^\`\\n]{1,500}\`|</?(?:(${blockTag})|${htmlTagNames.join("|")})(?:\\s[^<>]{0,500})?/?>`,
  "gi",
);

/**
 * Removes HTML tags and comments from a Markdown text. Also removes collapsible sections, unless there is nothing else.
 */
function stripHtml(text: string): string {
  if (!text.includes("<")) return text;
  const withoutComments = text.replace(comment, "");
  const open = withoutComments.replace(foldedPart, "");
  return (open.trim() === "" ? withoutComments : open).replace(tagOrCode, (whole, block?: string) => {
    if (whole.startsWith("`")) return whole;
    return block === undefined ? "" : "\n";
  });
}

function stripLineMarks(line: string): string {
  let rest = line;
  while (mark.test(rest)) rest = rest.replace(mark, "");
  return rest;
}

/** Placeholder for a piece of inline code, in which `*` and `_` are not Markdown. It is a private-use character. */
const codePlaceholder = "\ue000";

/** Removes inline Markdown from a text; keeps the text of links, images, code and emphasis. */
function stripMarkdown(text: string): string {
  const codes: string[] = [];
  const reduced = stripLineMarks(text)
    .replaceAll(codePlaceholder, "")
    .replace(/(?<!`)(`{1,3})(?!`)(.{1,500}?)(?<!`)\1(?!`)/g, (_, _ticks, code: string) => {
      codes.push(code);
      return codePlaceholder;
    })
    .replace(/!?\[([^[\]]{0,300})\](?:\([^()\s\ue000]{0,500}\)|\[[^[\]\ue000]{0,100}\])/g, "$1")
    .replace(/<(https?:\/\/[^<>\s]{1,500})>/g, "$1")
    .replace(/(\*{1,3}|~~)(?=[^\s*~])([^*~]{1,500})(?<=[^\s*~])\1/g, "$2")
    .replace(/(?<![\p{L}\p{N}_])(_{1,3})(?=[^\s_])([^_]{1,500})(?<=[^\s_])\1(?![\p{L}\p{N}_])/gu, "$2")
    .replaceAll(codePlaceholder, () => codes.shift() ?? "");
  return cleanLine(reduced);
}

/** Returns the first sentence, with the next sentence if the first is very short. */
function firstSentence(text: string): string {
  let taken = "";
  for (const sentence of splitSentences(text)) {
    if (taken.trimEnd().length >= minSentenceChars && !abbreviation.test(taken)) break;
    taken += sentence;
  }
  return taken.trim();
}

/** Splitter of sentences. It is created on first use, because that takes several milliseconds. */
let segmenter: Intl.Segmenter | undefined;

/** Splits a line into sentences by Unicode's rules, each with the spaces after it. */
export function splitSentences(line: string): string[] {
  if (line === "") return [];
  if (plain.test(line)) return line.split(betweenSentences);
  segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  return Array.from(segmenter.segment(line), ({ segment }) => segment);
}

/**
 * Matches ASCII text in which it is clear where sentences end. Each full stop, exclamation mark and question mark is
 * inside a word (`main.ts`, `1.5`), before a space and a capital letter, or at the end.
 */
const plain =
  /^(?:[ -~](?<![.!?])|(?<=[A-Za-z])\.(?=[A-Za-z0-9])|(?<=[0-9])\.(?=[a-z0-9])|(?<![.!?] *)[.!?](?= +[A-Z]|$))*$/;
const betweenSentences = /(?<=[.!?] +)(?=[A-Z])/;
