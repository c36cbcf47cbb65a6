import { cut, lengthIn } from "./cut.ts";
import { type Block, codeMark, readBlocks } from "./markdown.ts";

const maxGraphemes = 160;
/** Length below which a first sentence, such as "Done!", says too little alone. */
const minSentenceChars = 16;
/** Length up to which one sentence after a question, such as "I'll wait.", leaves the question open. */
const maxAfterwordChars = 80;
/** Maximum number of characters read of each end of an answer, which may have megabytes. */
const readChars = 4096;

/** Matches abbreviations that Unicode's rules take for the end of a sentence. */
const abbreviation = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|ca|approx|resp|incl|fig|mr|mrs|dr)\.\s*$/i;

/** Matches placeholders that agents write for a missing answer. */
const noAnswer = /^[([]?\s*(?:no (?:content|answer|output|response(?: requested)?)|empty)\s*[)\]]?\.?$/i;

/** Tells if an answer has no content, such as `(no content)`. */
export function isEmptyAnswer(text: string): boolean {
  return noAnswer.test(text.trim());
}

/**
 * Summarizes an answer in one line: its first sentence without Markdown and its closing questions, at most 160
 * graphemes. Quotations, headings, tables and code are used only if there is nothing else. Empty for an empty text.
 */
export function summarize(text: string): string {
  if (isEmptyAnswer(text)) return "";
  const blocks = readBlocks(text.slice(0, readChars));
  const questions = closingQuestions(text.length > readChars ? readBlocks(readEnd(text)) : blocks);
  const first = firstSentence(blocks, questions);
  const question = questions.filter((sentence) => !first.includes(sentence)).join(" ");
  // The questions must stay complete; the sentence may be cut.
  const roomGraphemes = maxGraphemes - (question === "" ? 0 : lengthIn("graphemes", question) + 1);
  const start = roomGraphemes < minSentenceChars ? "" : cut(first, roomGraphemes, "graphemes");
  return cut(`${start} ${question}`.trim(), maxGraphemes, "graphemes").replaceAll(codeMark, "?");
}

/** Tells if an answer ends with a question, as far as `summarize` shows it. */
export function endsWithQuestion(text: string): boolean {
  return closingQuestions(readBlocks(text.length > readChars ? readEnd(text) : text)).length > 0;
}

/** Returns the end of a long answer, in which code that has begun before stays code. */
function readEnd(text: string): string {
  const end = text.slice(-readChars);
  const fences = end.match(/^[ \t]*(?:```|~~~)/gm) ?? [];
  return fences.length % 2 === 0 ? end : `\`\`\`\n${end}`;
}

/** Kinds of blocks, in the order in which the answer is looked for. */
const ranks: readonly Block["rank"][] = ["prose", "quote", "heading", "row", "code", "picture"];

/**
 * Returns the first sentence, up to a table or code. Goes on after a very short one, and after a colon, there with the
 * items of a list.
 */
function firstSentence(blocks: readonly Block[], questions: readonly string[]): string {
  const rank = ranks.find((each) => blocks.some((block) => block.rank === each));
  const rest = blocks.slice(blocks.findIndex((block) => block.rank === rank));
  const end = rest.findIndex((block, index) => index > 0 && (rank !== "prose" || /row|code/.test(block.rank)));
  const used = rest.slice(0, end < 0 ? rest.length : end).filter((block) => block.rank === rank);
  const sentences = used.flatMap(({ text, depth }) =>
    splitSentences(text).map((sentence, index) => ({ sentence, index, depth })),
  );
  let taken = "";
  let isList = false;
  for (const { sentence, index, depth } of sentences) {
    isList = depth > 0 && (isList || taken.endsWith(":"));
    const isShort = taken.trim().length < minSentenceChars || /[:：]$/.test(taken) || abbreviation.test(taken);
    if (taken !== "" && (questions.includes(sentence.trim()) || !(isShort || (isList && index === 0)))) break;
    if (index === 0 && /[\p{L}\p{N}]$/u.test(taken)) taken += depth > 0 ? "," : ":";
    taken = index === 0 ? `${taken} ${sentence}` : taken + sentence;
  }
  return taken.trim();
}

/**
 * Finds the questions at the end of an answer. A list, code, a table, a quotation or one short sentence may follow. So
 * does a sentence with a colon before a numbered list, because people answer with a number.
 * @param isBefore whether a short sentence follows
 */
function closingQuestions(blocks: readonly Block[], isBefore = false): readonly string[] {
  const said = blocks.filter(({ rank }) => rank === "prose" || rank === "heading");
  const end = said.findLastIndex(({ depth }) => depth === 0);
  const items = said.slice(end + 1).filter(({ depth }) => depth === 1);
  const inItems = items.map(({ text }) => endQuestions(text, 0));
  if (inItems.at(-1)?.length) return inItems.flat();
  const { rank, text = "" } = said[end] ?? {};
  const options = items.at(-1)?.isNumbered;
  const isTitle = rank === "heading" && (isBefore || options === false);
  const questions = isTitle ? [] : endQuestions(text, isBefore ? 0 : 1);
  if (questions.length > 0) return questions;
  if (options && /[:：]$/.test(text)) return splitSentences(text).slice(-1);
  const isAfterword = !isBefore && text.length <= maxAfterwordChars && splitSentences(text).length === 1;
  return isAfterword ? closingQuestions(said.slice(0, end), true) : [];
}

/** Returns the last questions of a text. @param after maximum number of short sentences after them */
function endQuestions(text: string, after: number): readonly string[] {
  const sentences = splitSentences(text).map((sentence) => sentence.trim());
  const last = sentences.findLastIndex(isQuestion);
  const rest = sentences.slice(last + 1);
  if (rest.length > after || rest.some((sentence) => sentence.length > maxAfterwordChars)) return [];
  return sentences.slice(sentences.slice(0, last + 1).findLastIndex((sentence) => !isQuestion(sentence)) + 1, last + 1);
}

/** Matches a question mark of any script at the end, with closing punctuation and pictures after it. Greek has `;`. */
const questionEnd =
  /(?:[?？؟﹖⁇⁈⁉‽⸮፧꘏꛷❓❔]|[\u0370-\u03ff\u1f00-\u1fff][;\u037e]|՞\p{L}*։?)(?:[!…)\]*\u200e\u200f\p{Extended_Pictographic}]|\ufe0f)*$/u;
/** Tells if a sentence asks. A question in quotation marks is somebody else's. */
const isQuestion = (sentence: string): boolean => questionEnd.test(sentence) && !sentence.startsWith(">");

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
