import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { collect } from "../../../src/report/collect.ts";
import { buildCoverage } from "../../../src/report/coverage.ts";
import { computeFigures } from "../../../src/report/figures.ts";
import { computeHeight, drawPlot } from "../../../src/report/page/card.ts";
import { fittedLabel, labelPixels } from "../../../src/report/page/chart-option.ts";
import { renderPage } from "../../../src/report/page/page.ts";
import { summarizeCredits } from "../../../src/report/parts.ts";
import type { Plot, TimePlot } from "../../../src/report/plots.ts";
import { makeClient, noonMs, openSandbox } from "../../world/service/client.ts";
import { period } from "../front.ts";
import { creditsRow, days, emptyReport, quietUser, summarizeRows, tallyPeople } from "../rows.ts";

const hostile = '</script><img src=x onerror=alert(1)>"\u202e';
const row = (model: string) => creditsRow(days[0], model, 7);

/** Renders the page of the sandbox's report. */
const samplePage = async () =>
  renderPage(await collect(makeClient(await openSandbox({ users: 20 })), period, { nowMs: noonMs }));

test("the page's policy allows only its own style and script", async () => {
  const page = await samplePage();
  const hash = (text = ""): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const styles = [...page.matchAll(/<style>(.*?)<\/style>/gs)];
  const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)];
  expect([styles.length, scripts.length]).toEqual([1, 1]);
  const policy = `default-src 'none'; style-src ${hash(styles[0]?.[1])}; script-src ${hash(scripts[0]?.[1])}; img-src data:; base-uri 'none'; form-action 'none'`;
  const escaped = policy.replaceAll("'", "&#39;");
  expect(page).toContain(`<meta http-equiv="Content-Security-Policy" content="${escaped}">`);
});

test("the page has no external links", async () => {
  const page = await samplePage();
  const tags = page.match(/<[^>]*>/g) ?? [];
  const addresses = tags.flatMap((tag) =>
    [...tag.matchAll(/ (?:src|href|srcset|action)="([^"]*)"/g)].map(([, to]) => to),
  );
  expect(addresses).toEqual([expect.stringMatching(/^data:image\/svg\+xml,/)]);
  expect(page).not.toMatch(/@import|url\(|@font-face/);
});

test("hostile names are escaped", () => {
  const names = { user_id: hostile, user_email: hostile, primary_model: hostile, delegation_level: hostile };
  const people = tallyPeople([{ ...quietUser, ...names, billable_tokens: 3, sessions: 1, tool_calls: 1 }]);
  const coverage = { activity: buildCoverage({ failure: { reason: hostile, hint: hostile } }) };
  const credits = summarizeCredits([row(hostile), row("x".repeat(10_000))], days);
  const page = renderPage({ ...emptyReport, credits, people, coverage, organization: hostile });
  expect(page).not.toContain("<img");
  expect(page.match(/<\/script>/g)).toHaveLength(1);
  expect(page).toContain("<bdi>&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;</bdi>");
  expect(page).not.toContain("x".repeat(81));
});

test("the page lists gaps on top and beside the figure, and names the compared period", () => {
  const people = buildCoverage({ failure: { reason: "403 Forbidden", hint: "Ask a Manager." } });
  const coverage = { credits: buildCoverage({ absentDays: days.slice(1), strayRows: 2 }), people };
  const previous = { period: { startDate: "2026-05-29", endDate: "2026-05-31" }, days: [], coverage: {} };
  const credits = summarizeCredits([row("m")], days);
  const page = renderPage({ ...emptyReport, credits, coverage, previous });
  expect(page).toContain("<h2>This report is incomplete</h2>");
  expect(page).toContain("<strong>Users</strong>: <bdi>missing: 403 Forbidden</bdi>. <bdi>Ask a Manager.</bdi>");
  expect(page).toContain("<bdi>no data for 2 of 3 days (2–3 Jun)</bdi>");
  expect(page).toContain("<bdi>2 rows for other days are not counted</bdi>");
  expect(page).toContain('<dd class="value">7 <span class="gap">1 of 3 days</span></dd>');
  expect(page).toContain('<dt>Sessions</dt><dd class="value">–');
  expect(page).toMatch(/<bdi>org<\/bdi>.*1 Jun 2026 to 3 Jun 2026 <span>1 of 3 days have data, UTC/);
  expect(page).toContain("Made on 4 Jun 2026, 10:00 UTC. Compared with 29 May 2026 to 31 May 2026.");
  expect(page).not.toContain('id="users"');
});

test("a complete report has no notice, and defines each of its figures", () => {
  const page = renderPage({ ...emptyReport, coverage: { credits: buildCoverage({}) } });
  expect(page).not.toContain('class="notice"');
  for (const { title, definition } of computeFigures(emptyReport)) {
    expect(page).toContain(`<dt>${title}</dt><dd>${definition}</dd>`);
  }
});

test("a period without data has no empty axes, legends and tables", () => {
  const page = renderPage(summarizeRows({}));
  expect(page.match(/<section/g)).toHaveLength(16);
  expect(page.match(/None in this period\./g)).toHaveLength(9);
  expect(page).not.toMatch(/<table|class="legend"|role="img"|0\.0%/);
});

test("the same report gives the same page", () => {
  const report = { ...emptyReport, credits: summarizeCredits([row("m")], days) };
  expect(renderPage(report)).toBe(renderPage(report));
});

test.each([
  ["Read", 100, "Read"],
  ["PostToolUse (Edit|Write)", 192, "PostToolUse (Edit|Write)"],
  ["x".repeat(80), 100, `${"x".repeat(11)}…`],
  ["WWWWWWWWWWWW", 100, "WWWWW…"],
  ["日本語のとても長い名前", 100, "日本語のと…"],
  ["👩‍👩‍👧‍👦".repeat(30), 100, "👩‍👩‍👧‍👦…"],
  ["é".normalize("NFD").repeat(20), 100, `${"é".normalize("NFD").repeat(11)}…`],
])("%s in %d pixels is %s", (text, pixels, shown) => {
  expect(fittedLabel(text, pixels)).toBe(shown);
});

test("a label that fits stays whole; any other is cut between graphemes", () => {
  const name = fc.string({ unit: "grapheme", maxLength: 60 });
  const property = fc.property(name, fc.integer({ min: 30, max: 300 }), (text, pixels) => {
    const label = fittedLabel(text, pixels);
    expect(label.isWellFormed()).toBe(true);
    if (label !== text) expect([text.startsWith(label.slice(0, -1)), label.at(-1)]).toEqual([true, "…"]);
    if (labelPixels(text) <= pixels) expect(label).toBe(text);
  });
  fc.assert(property, { numRuns: 300 });
});

const head = { id: "x", title: "X", about: "About.", gap: "", unit: "credits" } as const;

function ranking(...names: string[]): Plot {
  return { ...head, kind: "ranking", bars: names.map((name, index) => ({ name, value: index + 1 })), total: 100 };
}

function overDays(kind: TimePlot["kind"], ...values: (number | null)[][]): TimePlot {
  const labels = (values[0] ?? []).map((_, index) => `${index + 1} Jun`);
  const series = values.map((own, index) => ({ name: `s${index}`, note: "", values: own }));
  return { ...head, kind, labels, ticks: labels, isPartial: labels.map(() => false), marks: [], series };
}

const draw = (plot: Plot, width = 520): string => drawPlot(plot, width, computeHeight(plot, width), "label").text;
const titles = (svg: string): (string | undefined)[] =>
  [...svg.matchAll(/<title>([^<]*)<\/title>/g)].map(([, text]) => text);

describe("a drawing", () => {
  test("of values over days has a mark with a title for each of them", () => {
    const titled = ["1 Jun, s0: 1 credit", "1 Jun, s1: 3 credits", "2 Jun, s0: 2,000 credits", "2 Jun, s1: 4 credits"];
    for (const kind of ["stacked", "grouped", "lines", "shares"] as const)
      expect(titles(draw(overDays(kind, [1, 2000], [3, 4]))).sort(), kind).toEqual(titled);
  });

  test("has no mark without data, and pale or hollow ones for part of a week", () => {
    for (const kind of ["stacked", "lines"] as const) {
      const plot = overDays(kind, [5, null, 7]);
      const whole = draw(plot);
      expect(titles(whole).sort()).toEqual(["1 Jun, s0: 5 credits", "3 Jun, s0: 7 credits"]);
      const partial = draw({ ...plot, isPartial: [false, false, true] });
      const marks = partial.match(/<path [^>]*data-mark="0:[02]"/g) ?? [];
      expect(marks).toHaveLength(2);
      expect(marks[0]).not.toMatch(/opacity="0\.45"|fill="var\(--card\)"/);
      expect(marks[1]).toMatch(/opacity="0\.45"|fill="var\(--card\)"/);
    }
  });

  test("of a ranking has every name, and a mark with a title for each", () => {
    const svg = draw(ranking("Read", "Edit"));
    expect(titles(svg)).toEqual(["Read: 1 credit", "Edit: 2 credits"]);
    expect(svg).toMatch(/>Read<\/text>.*>Edit<\/text>/);
    expect(svg).toContain(">1 · 1.0%</text>");
  });

  test("has no style, class, id or attribute of the chart library", () => {
    for (const plot of [ranking("a"), overDays("lines", [1, 2]), overDays("stacked", [1])]) {
      expect(draw(plot)).not.toMatch(/<style|<defs| (?:style|class|id|ecmeta_\w+)=|url\(/);
    }
  });

  test("takes its colours only from the page's style sheet", () => {
    for (const plot of [ranking("a"), overDays("lines", [1, 2]), overDays("shares", [1])]) {
      const colours = [...draw(plot).matchAll(/ (?:fill|stroke)="([^"]+)"/g)].map(([, colour]) => colour);
      expect(colours.filter((colour) => !/^(?:none|var\(--[\w-]+\))$/.test(colour ?? ""))).toEqual([]);
    }
  });

  test.each([
    ["only zeros", overDays("shares", [0, 0])],
    ["numbers too great to add up", overDays("stacked", [1.7e308, 1.7e308], [1.7e308, 1])],
    ["negative numbers", overDays("stacked", [-5, 3])],
    ["days without data", overDays("lines", [1, null, null, 4])],
    ["bars for days without data", overDays("shares", [1, null], [2, null])],
    ["one day", overDays("lines", [3])],
    ["three hundred days", overDays("lines", [...Array(300).keys()])],
    ["no series", overDays("stacked")],
    ["an empty ranking", ranking()],
  ])("of %s has only valid numbers", (_, plot) => {
    const complaints = [vi.spyOn(console, "error"), vi.spyOn(console, "warn")];
    const svg = draw(plot);
    for (const complaint of complaints) expect(complaint).not.toHaveBeenCalled();
    expect(svg).toMatch(/^<svg role="img".*<\/svg>$/s);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });
});

test("names from the service are escaped", () => {
  const unit = fc.constantFrom(...`< > " ' &`.split(" "), " style=", "</text>", "]]>", "{a|", "}", "x", "\u05d0");
  const property = fc.property(fc.string({ unit }), (name) => {
    const svg = draw(ranking(name, "</script><img src=x onerror=alert(1)>"));
    const tags = new Set([...svg.matchAll(/<\/?(\w+)/g)].map(([, tag]) => tag));
    expect([...tags].filter((tag) => !["svg", "rect", "path", "text", "title", "g"].includes(tag ?? ""))).toEqual([]);
    expect(svg.match(/<(?![/\w])|\]\]>/)).toBeNull();
    const attributes = [...svg.replace(/>[^<]*</g, "><").matchAll(/ ([\w-]+)="/g)].map(([, attribute]) => attribute);
    expect(attributes.filter((attribute) => /^on|style|href/.test(attribute ?? ""))).toEqual([]);
  });
  fc.assert(property, { numRuns: 100 });
});
