import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { drawPlot, heightOf } from "../../../src/report/page/draw.ts";
import type { Plot, TimePlot } from "../../../src/report/plot.ts";

const head = { id: "x", title: "X", about: "About.", gap: "", unit: "credits" } as const;

function ranking(...names: string[]): Plot {
  return { ...head, kind: "ranking", bars: names.map((name, n) => ({ name, value: n + 1 })), total: 100 };
}

function overDays(kind: TimePlot["kind"], ...values: (number | null)[][]): TimePlot {
  const labels = (values[0] ?? []).map((_, n) => `${n + 1} Jun`);
  return {
    ...head,
    kind,
    labels,
    ticks: labels,
    isPartial: labels.map(() => false),
    series: values.map((own, n) => ({ name: `s${n}`, note: "", values: own })),
  };
}

const draw = (plot: Plot, width = 520): string => drawPlot(plot, width, heightOf(plot, width), "label").text;
const titles = (svg: string): (string | undefined)[] =>
  [...svg.matchAll(/<title>([^<]*)<\/title>/g)].map(([, text]) => text);

describe("a drawing", () => {
  test.each(["stacked", "grouped", "lines", "shares"] as const)(
    "of %s values has a mark with a title for each of them",
    (kind) => {
      expect(titles(draw(overDays(kind, [1, 2000], [3, 4]))).sort()).toEqual([
        "1 Jun, s0: 1 credit",
        "1 Jun, s1: 3 credits",
        "2 Jun, s0: 2,000 credits",
        "2 Jun, s1: 4 credits",
      ]);
    },
  );

  test("has no mark where there is no data, and pale or hollow ones for part of a week", () => {
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
    ["nothing but zeros", overDays("shares", [0, 0])],
    ["numbers too great to add up", overDays("stacked", [1.7e308, 1.7e308], [1.7e308, 1])],
    ["negative numbers", overDays("stacked", [-5, 3])],
    ["days without data", overDays("lines", [1, null, null, 4])],
    ["bars for days without data", overDays("shares", [1, null], [2, null])],
    ["one day", overDays("lines", [3])],
    [
      "three hundred days",
      overDays(
        "lines",
        Array.from({ length: 300 }, (_, n) => n),
      ),
    ],
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
  const nasty = fc.string({
    unit: fc.constantFrom("<", ">", '"', "'", "&", " style=", "</text>", "]]>", "{a|", "}", "x", "\u05d0"),
  });
  fc.assert(
    fc.property(nasty, (name) => {
      const svg = draw(ranking(name, "</script><img src=x onerror=alert(1)>"));
      const tags = new Set([...svg.matchAll(/<\/?(\w+)/g)].map(([, tag]) => tag));
      expect([...tags].filter((tag) => !["svg", "rect", "path", "text", "title", "g"].includes(tag ?? ""))).toEqual([]);
      expect(svg.match(/<(?![/\w])|\]\]>/)).toBeNull();
      const attributes = new Set([...svg.replace(/>[^<]*</g, "><").matchAll(/ ([\w-]+)="/g)].map(([, one]) => one));
      expect([...attributes].filter((one) => /^on|style|href/.test(one ?? ""))).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
