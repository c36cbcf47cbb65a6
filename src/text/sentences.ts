/** Made when it is needed first: that takes several milliseconds of a worker's start. */
let segmenter: Intl.Segmenter | undefined;

/** The sentences of a line by Unicode's rules, each with the spaces after it. */
export function sentencesOf(line: string): string[] {
  if (line === "") return [];
  if (plain.test(line)) return line.split(betweenSentences);
  segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  return Array.from(segmenter.segment(line), ({ segment }) => segment);
}

/**
 * ASCII in which each full stop, exclamation and question mark stands inside a word (`main.ts`, `1.5`), before a space
 * and a capital, or at the end: the rules leave no doubt about it.
 */
const plain =
  /^(?:[ -~](?<![.!?])|(?<=[A-Za-z])\.(?=[A-Za-z0-9])|(?<=[0-9])\.(?=[a-z0-9])|(?<![.!?] *)[.!?](?= +[A-Z]|$))*$/;
const betweenSentences = /(?<=[.!?] +)(?=[A-Z])/;
