import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { cleanLine } from "../../src/text/clean.ts";
import { lengthIn } from "../../src/text/cut.ts";
import { splitSentences, summarize } from "../../src/text/summary.ts";
import { measureCpuMs } from "../core/cpu-time.ts";

describe("summarize", () => {
  it.each([
    ["an empty text", "", ""],
    ["white space", " \n\t\n", ""],
    ["one sentence", "All done: the file was reviewed.", "All done: the file was reviewed."],
    ["the first of several", "The login works again. Two tests were added.", "The login works again."],
    ["a very short first sentence with the next", "Done! The login works again. More.", "Done! The login works again."],
    ["a sentence over several lines", "The login\nworks again. More\n", "The login works again."],
    [
      "Chinese sentences",
      "登录功能已经可以正常使用并且通过测试了。还有更多。",
      "登录功能已经可以正常使用并且通过测试了。",
    ],
    [
      "full-width marks",
      "これで本当にすべて動くようになりましたか？はい。",
      "これで本当にすべて動くようになりましたか？",
    ],
    ["a version number", "Updated the parser to v1.2. It is faster.", "Updated the parser to v1.2."],
    ["a file name", "I changed src/auth.ts to check the token. Done.", "I changed src/auth.ts to check the token."],
    [
      "abbreviations",
      "It now takes other names, e.g. Bob, i.e. Robert. Fine.",
      "It now takes other names, e.g. Bob, i.e. Robert.",
    ],
    ["a heading before a paragraph", "## Summary\n\nThe login works again.", "The login works again."],
    ["a bold line used as a heading", "**Summary**\n\nThe login works again.", "The login works again."],
    ["a heading alone", "# Login repaired\n", "Login repaired"],
    ["a list", "- [x] Repaired the login\n- Added tests", "Repaired the login"],
    ["a numbered list", "1. Repaired the login\n2. Added tests", "Repaired the login"],
    ["a quotation", "> > The login works again.", "The login works again."],
    ["words around code", "It runs with\n```sh\nnpm test\n```\nand passes", "It runs with"],
    ["code alone", "```sh\nnpm test\n```", "npm test"],
    ["code before words", "```sh\nnpm test\n```\nAll tests pass now.", "All tests pass now."],
    ["code that never ends before nothing", "```\nnpm test", "npm test"],
    ["a table alone", "| Step | Result |\n|------|--------|\n| build | ok |\n| test | 2 failed |", "build: ok"],
    ["a comment before words", "<!-- status: ok -->\nFinished the refactor.", "Finished the refactor."],
    ["a comment that never ends", "<!-- status", ""],
    ["a folded part before words", "<details><summary>Log</summary>\n\nlots\n</details>\n\nAll good.", "All good."],
    ["a folded part alone", "<details><summary>Everything was tested.</summary>\n\nlots", "Everything was tested."],
    ["elements around words", "<p>All <b>tests</b> pass<br/>now.</p>", "All tests pass now."],
    ["elements as words", "I put `<details>` around the log, see `<b>`.", "I put <details> around the log, see <b>."],
    ["types and comparisons", "Map<string, T> has a < b and c > d now.", "Map<string, T> has a < b and c > d now."],
    ["an answer without content", "(no content)", ""],
    ["a table before words", "| a | b |\n|---|---|\n\nAll tests pass now.", "All tests pass now."],
    ["rules", "---\n***\nAll tests pass now.", "All tests pass now."],
    [
      "emphasis",
      "The **login** *works* ~~not~~ __again__ _now_ in ***all*** places.",
      "The login works not again now in all places.",
    ],
    ["underscores and a product", "Set max_line_length to 2 * 3 * 4 here.", "Set max_line_length to 2 * 3 * 4 here."],
    ["inline code", "Renamed `__init__` and `**/*.ts` in **`a_b`**.", "Renamed __init__ and **/*.ts in a_b."],
    [
      "links and images",
      "See [the `login`](src/a.ts) and ![a picture](b.png), <https://example.org>.",
      "See the login and a picture, https://example.org.",
    ],
    ["terminal sequences and bells", "The \u001b[31mlogin\u001b[0m works\u0007 again.", "The login works again."],
    [
      "the closing question",
      "I can do it two ways. Which one do you want?",
      "I can do it two ways. Which one do you want?",
    ],
    [
      "a question at the end",
      "The login works again. Two tests fail.\n\n- one\n- two\n\nShall I **skip** them?",
      "The login works again. Shall I skip them?",
    ],
    [
      "a question before a list",
      "The login works again.\n\nWhich one next?\n\n1. Logout\n2. Signup",
      "The login works again. Which one next?",
    ],
    [
      "a full-width question",
      "登录功能已经可以正常使用并且通过测试了。要继续吗？",
      "登录功能已经可以正常使用并且通过测试了。 要继续吗？",
    ],
    ["an answered question", "Why did it fail? The key was wrong. It works.", "Why did it fail?"],
    ["a tab", "The login\tworks again.", "The login works again."],
  ])("takes %s", (_, text, summary) => {
    expect(summarize(text)).toBe(summary);
  });

  it("keeps the closing question of an answer of any length whole", () => {
    const long = `${"The login works again and again. ".repeat(400)}Which one do you want?`;
    expect(summarize(long)).toBe("The login works again and again. Which one do you want?");
    expect(summarize(`${"word ".repeat(300)}. Which one do you want?`)).toMatch(/^word .*… Which one do you want\?$/);
  });

  it("cuts a long sentence between graphemes", () => {
    const family = "👨‍👩‍👧‍👦";
    expect(summarize(family.repeat(300))).toBe(`${family.repeat(159)}…`);
    expect(summarize("word ".repeat(300))).toMatch(/^(?:word )+word…$|^(?:word )+wor…$/);
  });

  it("is one clean line of at most 160 graphemes, whatever the text", () => {
    const words = "# ** _ ` ``` [a](b) 。 | \u001b]0; \ue000".split(" ");
    const marks = fc.constantFrom(...words, "- ", "> ", "\n", "\n\n", "1. ", ". ");
    const anyText = fc
      .array(fc.oneof(marks, fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }), fc.lorem()), {
        maxLength: 40,
      })
      .map((parts) => parts.join(""));
    const check = (text: string): void => {
      const summary = summarize(text);
      expect(cleanLine(summary)).toBe(summary);
      expect(lengthIn("graphemes", summary)).toBeLessThanOrEqual(160);
    };
    fc.assert(fc.property(anyText, check), { numRuns: 1000 });
  });

  it("reads only the first 4 kB", () => {
    expect(summarize(`${"\n".repeat(4096)}Too late.`)).toBe("");
    expect(summarize(`${"\n".repeat(4000)}In time.`)).toBe("In time.");
  });

  it("leaves a summary of plain words unchanged", () => {
    const sentences = fc.array(fc.lorem({ mode: "sentences", maxCount: 4 }), { maxLength: 5 });
    const check = (paragraphs: string[]): void => {
      const summary = summarize(paragraphs.join("\n\n"));
      expect(summarize(summary)).toBe(summary);
    };
    fc.assert(fc.property(sentences, check), { numRuns: 500 });
  });

  it("handles a megabyte of any piece at once", () => {
    const pieces = ["``` ", "_a ", "> ", "- ", "1. ", "e.g. ", "* ", "\n#"];
    pieces.push(..."a [ ` **a \u001b] [a]( 🏴 a\u0301 <https://".split(" "));
    const slow = pieces.filter((piece) => measureCpuMs(() => summarize(piece.repeat(1_000_000 / piece.length))) >= 250);
    expect(slow).toEqual([]);
  });
});

/** Answers with their summaries, and ends of answers with the question that they ask, if any. */
const answers = readFileSync(join(import.meta.dirname, "../fixtures/answers.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Readonly<Record<"answer" | "summary" | "end" | "asks", string>>);

/** Summarizes texts, and returns those whose summary is another. */
const wrong = (expected: readonly (readonly [text: string, summary: string])[]) =>
  expected
    .map(([text, summary]) => ({ text: text.slice(-200), summary, is: summarize(text) }))
    .filter(({ summary, is }) => summary !== is);

test("a summary is of the answer, without what is drawn or quoted around it, and keeps what is code", () => {
  const whole = answers.filter(({ answer }) => answer !== undefined);
  expect(whole.length).toBeGreaterThan(80);
  expect(wrong(whole.map(({ answer, summary }) => [answer, summary]))).toEqual([]);
});

test.each([
  ["at once", ""],
  ["after 10,000 characters", "Some words of no weight.\n\n".repeat(400)],
])("a summary has the question that ends an answer in any form, and no other, %s", (_, between) => {
  const ends = answers.filter(({ end }) => end !== undefined);
  expect(ends.length).toBeGreaterThan(70);
  const first = "The login works again now.";
  expect(wrong(ends.map(({ end, asks }) => [`${first}\n\n${between}${end}`, `${first} ${asks}`.trim()]))).toEqual([]);
});

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
])("the sentences of %j", (line, sentences) => {
  expect(splitSentences(line)).toEqual(sentences);
});

test("sentences match Unicode's in any line", () => {
  const pieces = [...'abZQ1..!?  ,:;-()"é…。'];
  const lines = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(lines, (line) => {
      expect(splitSentences(line)).toEqual(Array.from(segmenter.segment(line), ({ segment }) => segment));
    }),
    { numRuns: 5_000 },
  );
});
