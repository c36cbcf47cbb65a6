import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mask } from "../../../src/text/mask/mask.ts";
import { fillTemplate, mulberry32 } from "./secret-corpus.ts";

const file = join(import.meta.dirname, "..", "..", "fixtures", "mask-corpus.txt");
const lines = readFileSync(file, "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("# "))
  .map((line) => line.replaceAll("\\n", "\n"));
const visibleChars = 5;

/** Fills in the lines with secrets. Each number gives other random characters. */
function fill(seed: number) {
  const random = mulberry32(seed);
  return lines
    .filter((line) => line.includes("§"))
    .map((line) => {
      const parts = fillTemplate(line, random).split("§");
      return { text: parts.join(""), secrets: parts.filter((_, index) => index % 2 === 1) };
    });
}

const leaks = (masked: string, secret: string) =>
  Array.from({ length: secret.length - visibleChars + 1 }, (_, at) => secret.slice(at, at + visibleChars)).some(
    (part) => masked.includes(part),
  );

test("95 of 100 secrets are masked as vendors, people and agents write them", () => {
  const corpus = [3, 58, 2026].flatMap(fill);
  expect(corpus.length).toBeGreaterThanOrEqual(3 * 160);
  const leaked = corpus.filter(({ text, secrets }) => secrets.some((secret) => leaks(mask(text), secret)));
  const recall = 1 - leaked.length / corpus.length;
  expect(recall, leaked.map(({ text }) => text).join("\n")).toBeGreaterThanOrEqual(0.95);
});

test("at most 1 of 100 similar lines without secrets is changed", () => {
  const innocents = lines.filter((line) => !line.includes("§"));
  expect(innocents.length).toBeGreaterThanOrEqual(90);
  const changed = innocents.filter((line) => mask(line) !== line);
  expect(changed.length / innocents.length, changed.map(mask).join("\n")).toBeLessThanOrEqual(0.01);
});

test("a masked line stays unchanged the second time", () => {
  const once = fill(3).map(({ text }) => mask(text));
  expect(once.map(mask)).toEqual(once);
});
