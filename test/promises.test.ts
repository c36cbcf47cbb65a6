import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8");
const joinLines = (text: string) => text.replace(/\s+/g, " ");

/**
 * Reads a document's sentences about beckon's behaviour, each with the file and the title of the test that proves it.
 */
function readPromises(document: string) {
  const [, block = ""] = `\n${read("test/promises.txt")}`.split(`\n${document}\n`);
  const [own = ""] = block.split(/^(?=\S)/m);
  return [...own.matchAll(/^ {2}(\S.*)\n {4}(\S+): (.+)$/gm)].map(([, says = "", file = "", title = ""]) => {
    return { says, file: `test/${file}.test.ts`, title };
  });
}

test.each([
  ["README.md", 40],
  ["docs/attention.md", 30],
  ["docs/configuration.md", 7],
])("each promise of %s is in the document, and a test has its title", (document, least) => {
  const text = joinLines(read(document));
  const promises = readPromises(document);
  expect(promises.length).toBeGreaterThan(least);
  expect(promises.filter(({ says }) => !text.includes(says))).toEqual([]);
  expect(promises.filter(({ file, title }) => !read(file).includes(`"${title}"`))).toEqual([]);
});

test.each([
  ["README.md", "## Promises"],
  ["docs/attention.md", "## What it does by default"],
])("each point of %s below %s has its test", (document, heading) => {
  const [, section = ""] = read(document).split(`${heading}\n`);
  const [own = ""] = section.split(/^(?=## )/m);
  const points = own.split(/^- /m).slice(1).map(joinLines);
  expect(points.length).toBeGreaterThan(7);
  expect(points.filter((point) => !readPromises(document).some(({ says }) => point.includes(says)))).toEqual([]);
});
