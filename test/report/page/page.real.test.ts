import { describe, expect, test } from "vitest";
import { buildRanking } from "../../../src/report/ranking.ts";
import type { UsageReport } from "../../../src/report/report.ts";
import { findViolations } from "../../world/axe.ts";
import { startReceiver } from "../../world/cli-home.ts";
import { parseNumber, readMarks, readTable, useReportBrowser, withMarks } from "../report-browser.ts";

const browser = useReportBrowser();

test("the page requests no other resources, and the browser reports no problem", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const { page, url, requests, complaints } = await browser.open({ colorScheme });
    await page.locator("summary").first().click();
    await page.mouse.wheel(0, 5_000);
    expect(requests.filter((request) => !request.startsWith("data:"))).toEqual([url]);
    expect(complaints).toEqual([]);
    await page.close();
  }
});

const price = { perCredit: 0.01, currency: "EUR" };

// axe takes seconds for a page of this size.
describe.each(["light", "dark"] as const)("axe finds no fault in %s", { timeout: 120_000 }, (colorScheme) => {
  test.each<[string, number, (report: UsageReport) => UsageReport]>([
    ["a report with everything", 1280, (report) => ({ ...withMarks(report, report.days.slice(3, 6)), price })],
    ["a report with everything, narrow", 400, (report) => ({ ...withMarks(report, report.days), price })],
    ["a report without data", 1280, ({ period, days, madeAt }) => ({ period, days, madeAt, coverage: {} })],
  ])("%s", async (_, width, change) => {
    const { page } = await browser.open({ colorScheme, width, report: change(browser.report) });
    await page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
    expect(await findViolations(page)).toEqual([]);
    await page.close();
  });
});

test.each([
  ["6", 1280, 3, undefined],
  ["7", 1280, 4, price],
  ["7", 400, 2, price],
])("%s tiles at %d pixels fill every row", async (_, width, columns, given) => {
  const { page } = await browser.open({ width, report: { ...browser.report, ...(given && { price: given }) } });
  type Tiles = { rows: [number, number][][]; left: number; right: number };
  const { rows, left, right } = await page.evaluate<Tiles>(`(() => {
    const all = document.querySelector(".tiles").getBoundingClientRect();
    const rows = new Map();
    for (const tile of document.querySelectorAll(".tile")) {
      const { top, left, right } = tile.getBoundingClientRect();
      rows.set(Math.round(top), [...(rows.get(Math.round(top)) ?? []), [left, right]]);
    }
    return { rows: [...rows.values()], left: all.left, right: all.right };
  })()`);
  expect(rows[0]).toHaveLength(columns);
  for (const row of rows) {
    expect(row[0]?.[0]).toBeCloseTo(left, 0);
    expect(row.at(-1)?.[1]).toBeCloseTo(right, 0);
  }
  const fits = "[...document.querySelectorAll('.value')].every((value) => value.scrollWidth <= value.clientWidth)";
  expect(await page.evaluate(fits)).toBe(true);
  await page.close();
});

test("numbered marks show the days on which settings changed, inside the plot", async () => {
  const days = [2, 10, 11].map((n) => browser.report.days[n] ?? "");
  const { page } = await browser.open({ report: withMarks(browser.report, days) });
  const marks = await page.evaluate<{ lines: number[]; bars: number[] }>(`(() => {
    const svg = [...document.querySelectorAll("#credits svg[role=img]")].find((drawing) => drawing.checkVisibility());
    const middle = (mark) => { const { left, width } = mark.getBoundingClientRect(); return left + width / 2; };
    return {
      lines: [...svg.querySelectorAll("path[stroke-dasharray]")].map(middle),
      bars: [2, 10, 11].map((n) => middle(svg.querySelector('[data-mark="0:' + n + '"]'))),
    };
  })()`);
  expect(marks.lines.map(Math.round)).toEqual(marks.bars.map(Math.round));
  await page.close();
});

test("the policy blocks foreign scripts, styles and pictures", async () => {
  const { page, complaints } = await browser.open();
  const elsewhere = await startReceiver();
  await page.evaluate(`
    const script = document.createElement("script");
    script.textContent = "document.title = 'taken'";
    const picture = document.createElement("img");
    picture.src = ${JSON.stringify(elsewhere.url)};
    document.body.append(script, picture);
    document.body.setAttribute("style", "display: none");
  `);
  await expect.poll(() => complaints.join(" ")).toMatch(/^(?=.*script-src)(?=.*img-src)(?=.*style-src)/s);
  expect(await page.title()).toMatch(/^Usage report/);
  expect(await page.locator("h1").isVisible()).toBe(true);
  expect(elsewhere.bodies).toEqual([]);
  await page.close();
  await elsewhere.close();
});

test("the users can be sorted by pointer and by keyboard", async () => {
  const { page } = await browser.open();
  const column = async (at: number): Promise<string[]> =>
    (await readTable(page, "users")).slice(0, -2).map((cells) => cells[at] ?? "");
  const order = (title: string) =>
    page.locator("#users").getByRole("columnheader", { name: title }).getAttribute("aria-sort");
  expect(await order("Credits")).toBe("descending");
  await page.getByRole("button", { name: "Sessions" }).click();
  const down = (await column(2)).map(parseNumber);
  expect(down).toEqual(down.toSorted((a, b) => b - a));
  expect([await order("Sessions"), await order("Credits")]).toEqual(["descending", "none"]);
  await page.getByRole("button", { name: "Sessions" }).press("Enter");
  expect((await column(2)).map(parseNumber)).toEqual(down.toSorted((a, b) => a - b));
  expect(await order("Sessions")).toBe("ascending");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Space");
  const names = await column(0);
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, "en")));
  await page.close();
});

test("background, text and plots differ between light and dark", async () => {
  const seen = await Promise.all(
    (["light", "dark"] as const).map(async (colorScheme) => {
      const { page } = await browser.open({ colorScheme });
      const colours = await page.evaluate<string[]>(`[
        ["body", "background-color"],
        ["h1", "color"],
        ["#credits [data-mark]", "fill"],
        ["#credits text", "fill"],
      ].map(([selector, property]) => getComputedStyle(document.querySelector(selector)).getPropertyValue(property))`);
      await page.close();
      return colours;
    }),
  );
  const [light = [], dark = []] = seen;
  light.forEach((colour, n) => {
    expect(colour).toMatch(/^rgb/);
    expect(colour).not.toBe(dark[n]);
  });
});

test.each([390, 800, 1200])(
  "at %d pixels no element overflows, and the text of the plots is legible",
  async (width) => {
    const { page } = await browser.open({ width });
    const { scroll, sizes } = await page.evaluate<{ scroll: number; sizes: number[] }>(`({
    scroll: document.documentElement.scrollWidth,
    sizes: [...document.querySelectorAll(".plot text")]
      .filter((text) => text.checkVisibility())
      .map((text) => text.getBoundingClientRect().height),
  })`);
    expect(scroll).toBeLessThanOrEqual(width);
    expect(Math.min(...sizes)).toBeGreaterThan(10);
    await page.close();
  },
);

test("the printed page is light, fits the paper, and is complete", async () => {
  const { page } = await browser.open({ colorScheme: "dark", width: 700 });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const { scroll, ink } = await page.evaluate<{ scroll: number; ink: string }>(`({
    scroll: document.documentElement.scrollWidth,
    ink: getComputedStyle(document.body).color,
  })`);
  expect(scroll).toBeLessThanOrEqual(700);
  expect(ink).toBe("rgb(27, 34, 48)");
  expect(await page.locator(".users tbody tr").last().isVisible()).toBe(true);
  await page.close();
});

test("names with markup are shown unchanged", async () => {
  const name = "</script></title><img src=x onerror=document.title='taken'>\"'&amp;";
  const text = ["Read", "model-large", "Tracker", browser.report.people?.top[0]?.name ?? ""].reduce(
    (json, own) => json.replaceAll(JSON.stringify(own), JSON.stringify(name)),
    JSON.stringify(browser.report),
  );
  const { page, complaints } = await browser.open({ report: JSON.parse(text) });
  expect(complaints).toEqual([]);
  expect(await page.title()).toMatch(/^Usage report/);
  expect(await page.locator("img, script ~ *").count()).toBe(0);
  expect(await page.locator("#credits .legend bdi").allTextContents()).toContain(name);
  expect((await readTable(page, "tools")).map(([first]) => first)).toContain(name);
  expect([...(await readMarks(page, "tools")).keys()]).toContain(name);
  await page.close();
});

test("a wide name in a ranking does not overlap the bars", async () => {
  const names = [..."Wxא"].map((letter) => letter.repeat(80));
  names.push("日本語のとても長い名前".repeat(5), "👩‍👩‍👧‍👦".repeat(20));
  const tools = buildRanking(names.map((name, n) => [name, 100 - n]));
  const { toolUse, ...rest } = browser.report;
  if (toolUse === undefined) throw new Error("there is no use of tools");
  const wide = { ...rest, toolUse: { ...toolUse, tools } };
  for (const width of [400, 1400]) {
    const { page } = await browser.open({ report: wide, width });
    const ends = await page.evaluate<{ names: number[]; bars: number[] }>(`(() => {
      const drawing = [...document.querySelectorAll("#tools svg[role=img]")].find((svg) => svg.checkVisibility());
      const box = (one) => one.getBoundingClientRect();
      const bars = [...drawing.querySelectorAll("[data-mark]")].map((bar) => box(bar).left);
      const texts = [...drawing.querySelectorAll("text")].filter((text) => box(text).left < Math.min(...bars) - 1);
      return { names: texts.map((text) => box(text).right), bars };
    })()`);
    expect(ends.names).toHaveLength(names.length);
    expect(Math.max(...ends.names)).toBeLessThanOrEqual(Math.min(...ends.bars));
    await page.close();
  }
});

test.each(["print", "screen"] as const)("in narrow %s long names of users are not cut", async (media) => {
  const { people, ...rest } = browser.report;
  if (people === undefined) throw new Error("there are no users");
  const name = "somebody.with.a.very.long.name.indeed@department.example.com";
  const top = people.top.map((user) => ({ ...user, name, model: `model-${"x".repeat(60)}` }));
  const long = { ...rest, people: { ...people, top } };
  const { page } = await browser.open({ report: long, width: media === "print" ? 700 : 400 });
  await page.emulateMedia({ media });
  const cut = await page.evaluate<
    string[]
  >(`[...document.querySelectorAll("${media === "print" ? ".users td, " : ""}.users tbody th")]
    .filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)`);
  expect(cut).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  await page.close();
});
