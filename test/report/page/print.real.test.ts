import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { useReportBrowser } from "../report-browser.ts";

/** The report on paper: as a PDF by the browser, with its words and their positions by poppler. */

const browser = useReportBrowser();

interface Word {
  readonly text: string;
  /** Distance from the left edge of the sheet, in points. */
  readonly left: number;
  readonly right: number;
  /** Height in points. */
  readonly height: number;
}

/** Reads the words of each sheet, in the order of the page. */
async function readSheets(format: "A4" | "Letter", report = browser.report): Promise<Word[][]> {
  const { page } = await browser.open({ report });
  const pdf = await page.pdf({ format });
  await page.close();
  const html = execFileSync("pdftotext", ["-bbox", "-", "-"], { input: pdf, encoding: "utf8" });
  const word = /<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)<\/word>/g;
  return html
    .split("<page ")
    .slice(1)
    .map((sheet) =>
      [...sheet.matchAll(word)].map(([, left, top, right, bottom, text = ""]) => {
        return { text, left: Number(left), right: Number(right), height: Number(bottom) - Number(top) };
      }),
    );
}

test.each([
  ["A4", 595],
  ["Letter", 612],
] as const)(
  "on %s the report has margins, at most seven sheets, and words of a readable size",
  async (format, width) => {
    const sheets = await readSheets(format);
    const words = sheets.flat();
    expect(sheets.length).toBeLessThanOrEqual(7);
    expect(Math.min(...words.map(({ left }) => left))).toBeGreaterThan(28);
    expect(Math.max(...words.map(({ right }) => right))).toBeLessThan(width - 28);
    expect(Math.min(...words.map(({ height }) => height))).toBeGreaterThan(5);
  },
);

test("the users' sums are printed once, below the last user, even on several sheets", async () => {
  const { people } = browser.report;
  if (people === undefined) throw new Error("there are no users");
  const top = Array.from({ length: 8 }, (_, copy) =>
    people.top.map((user) => ({ ...user, name: `${copy}.${user.name}` })),
  );
  const sheets = await readSheets("A4", { ...browser.report, people: { ...people, top: top.flat() } });
  const texts = sheets.flat().map(({ text }) => text);
  const users = texts.flatMap((text, index) => (/^\d\.\S+@example\.com$/.test(text) ? [index] : []));
  const sums = texts.flatMap((text, index) => (text === "All" && texts[index + 1] === "1,000" ? [index] : []));
  expect(users).toHaveLength(8 * people.top.length);
  expect(sums).toHaveLength(1);
  expect(sums[0]).toBeGreaterThan(users.at(-1) ?? 0);
});
