import { expect, test } from "vitest";
import { mask } from "../../../src/text/mask/mask.ts";
import { innocents, sentenceCorpus } from "./sentence-corpus.ts";

const visibleChars = 5;

/** Finds a run of five characters of the secret. */
function leaks(masked: string, secret: string): boolean {
  const count = Math.max(1, secret.length - visibleChars + 1);
  return Array.from({ length: count }, (_, at) => secret.slice(at, at + visibleChars)).some((part) =>
    masked.includes(part),
  );
}

test("95 of 100 secrets in sentences, tables and command lines of seven languages are masked", () => {
  const corpus = sentenceCorpus();
  expect(corpus.length).toBeGreaterThanOrEqual(120);
  const leaked = corpus.filter(({ text, secret }) => leaks(mask(text), secret));
  const recall = 1 - leaked.length / corpus.length;
  expect(recall, leaked.map(({ text }) => text).join("\n")).toBeGreaterThanOrEqual(0.95);
});

test("no text that only looks like a secret is masked", () => {
  expect(innocents.length).toBeGreaterThanOrEqual(80);
  expect(innocents.filter((text) => mask(text) !== text)).toEqual([]);
});

test("a masked text stays unchanged the second time", () => {
  const texts = [...sentenceCorpus().map(({ text }) => text), ...innocents].map(mask);
  expect(texts.map(mask)).toEqual(texts);
});
