/** Created on first use, because that takes several milliseconds. */
let segmenter: Intl.Segmenter | undefined;

/** Splits a line into sentences by Unicode's rules, each with the spaces after it. */
export function sentencesOf(line: string): string[] {
  if (line === "") return [];
  if (plain.test(line)) return line.split(betweenSentences);
  segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  return Array.from(segmenter.segment(line), ({ segment }) => segment);
}

/**
 * ASCII text with unambiguous sentence ends: each full stop, exclamation or question mark is inside a word (`main.ts`,
 * `1.5`), before a space and a capital, or at the end.
 */
const plain =
  /^(?:[ -~](?<![.!?])|(?<=[A-Za-z])\.(?=[A-Za-z0-9])|(?<=[0-9])\.(?=[a-z0-9])|(?<![.!?] *)[.!?](?= +[A-Z]|$))*$/;
const betweenSentences = /(?<=[.!?] +)(?=[A-Z])/;
