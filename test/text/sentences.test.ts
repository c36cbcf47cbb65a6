import fc from "fast-check";
import { expect, test } from "vitest";
import { splitSentences } from "../../src/text/summary.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

test.each([
  ["", []],
  ["Done", ["Done"]],
  [
    "I fixed main.ts. Version 1.5 is out!  Shall I go on?",
    ["I fixed main.ts. ", "Version 1.5 is out!  ", "Shall I go on?"],
  ],
  ["See e.g. this. ok", ["See e.g. this. ok"]],
  ["Fertig. Änderungen übernommen.", ["Fertig. ", "Änderungen übernommen."]],
])("%j", (line, sentences) => {
  expect(splitSentences(line)).toEqual(sentences);
});

test("match Unicode's in any line", () => {
  const pieces = [...'abZQ1..!?  ,:;-()"é…。'];
  const lines = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(lines, (line) => {
      expect(splitSentences(line)).toEqual(Array.from(segmenter.segment(line), ({ segment }) => segment));
    }),
    { numRuns: 5_000 },
  );
});
