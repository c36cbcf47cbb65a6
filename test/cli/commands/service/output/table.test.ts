import fc from "fast-check";
import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { cellsOf } from "../../../../../src/cli/columns.ts";
import {
  type Column,
  column,
  mostOf,
  ratio,
  time,
  whole,
} from "../../../../../src/cli/commands/service/output/column.ts";
import { fitColumns, gap, Table } from "../../../../../src/cli/commands/service/output/table.ts";
import { createTerminal } from "../../../../world/service-home.ts";

type Row = Readonly<Record<string, string | number | undefined>>;
const columns: readonly Column<Row>[] = [
  whole("id", (row) => row["id"]),
  column("text", (row) => row["text"]),
  column("count", (row) => row["count"]),
  column("other", (row) => row["other"]),
];

function draw(pages: readonly (readonly Row[])[], width?: number, shown = columns) {
  const lines: string[] = [];
  const table = new Table(shown as readonly Column<object>[], {
    print: (line) => void lines.push(line),
    colors: picocolors.createColors(false),
    terminal: width === undefined ? undefined : createTerminal(width),
  });
  for (const rows of pages) table.print(rows);
  return { lines, remarks: table.remarks() };
}

const noRoomFor = (titles: string) => `No room for ${titles}; --csv and --json show everything.`;

test("numbers and their titles are aligned to the right, with thousands separators; texts to the left", () => {
  const rows = [
    { id: "a", text: "one", count: 1234567, other: "x" },
    { id: "bb", text: "three", count: 5, other: undefined },
  ];
  expect(draw([rows]).lines).toEqual([
    "id  text       count  other",
    "a   one    1,234,567  x",
    "bb  three          5",
  ]);
});

test("ratios always have two decimals, other numbers only if they are not integers", () => {
  const quotients = [ratio<Row>("q", (row) => row["count"]), column<Row>("n", (row) => row["count"])];
  expect(draw([[{ count: 3 }, { count: 2.345 }]], undefined, quotients).lines).toEqual([
    "   q     n",
    "3.00     3",
    "2.35  2.35",
  ]);
});

test("instants are shown to the minute; other texts as they are", () => {
  const at = Date.parse(new Date(2026, 5, 1, 12, 34, 56).toString());
  const times = [time<Row>("at", (row) => row["id"])];
  expect(draw([[{ id: at }, { id: "last week" }, {}]], undefined, times).lines).toEqual([
    "at",
    "2026-06-01 12:34",
    "last week",
    "",
  ]);
});

test("columns without room are cut, then left out from the end and named", () => {
  const row = { id: "identifier", text: "a text of some length", count: 12, other: "something" };
  expect(draw([[row]], 44)).toEqual({
    lines: ["id          text            count  other", "identifier  a text of som…     12  something"],
    remarks: [],
  });
  expect(draw([[row]], 34)).toMatchObject({ remarks: [noRoomFor("other")] });
  expect(draw([[row]], 5)).toEqual({ lines: ["id", "identifier"], remarks: [noRoomFor("text, count, other")] });
});

test("a later page keeps the columns, and cuts texts but no numbers or ids", () => {
  const first = { id: "a", text: "short", count: 1, other: "x" };
  const later = { id: "longer-id", text: "a much longer text than before", count: 1234567, other: "yyyyyyyyy" };
  expect(draw([[first], [later]], 80).lines).toEqual([
    "id  text   count  other",
    "a   short      1  x",
    "longer-id  a mu…  1,234,567  yyyy…",
  ]);
  expect(draw([[first], [later]]).lines.at(-1)).toBe("longer-id  a much longer text than before  1,234,567  yyyyyyyyy");
});

test("foreign text cannot leave its cell", () => {
  const text = "\u001b[2J\u0000two\nlines\u202e\u009b31m\tand a tab";
  const [, line = ""] = draw([[{ id: "\u001b]0;x\u0007i", text, count: 1, other: "店" }]]).lines;
  expect(line).toBe("i   two lines and a tab      1  店");
});

test("only the beginning of a text of megabytes is read", () => {
  const startMs = performance.now();
  const [, line = ""] = draw([[{ id: "a", text: "é".repeat(4_000_000) }]]).lines;
  expect(cellsOf(line)).toBe(4 + 200);
  expect(performance.now() - startMs).toBeLessThan(1_000);
});

describe("the layout", () => {
  const shape = fc.record({ title: fc.constantFrom("id", "title", "twelve cells"), mayCut: fc.boolean() });
  const shapes = fc.array(fc.tuple(shape, fc.nat(60)), { minLength: 1, maxLength: 8 });

  test("is not wider than the terminal, unless a single column is", () => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: 10, max: 200 }), (given, maxCells) => {
        const widths = fitColumns(
          given.map(([one]) => one),
          given.map(([, cells]) => cells),
          maxCells,
        );
        const total = widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));
        expect(widths.length).toBeGreaterThan(0);
        if (widths.length > 1) expect(total).toBeLessThanOrEqual(maxCells);
        widths.forEach((width, at) => {
          const [one, cells] = given[at] ?? [{ title: "", mayCut: false }, 0];
          const natural = Math.max(one.title.length, cells);
          expect(width).toBeLessThanOrEqual(natural);
          if (!one.mayCut) expect(width).toBe(natural);
        });
      }),
    );
  });

  test("leaves columns at full width if there is room", () => {
    fc.assert(
      fc.property(shapes, (given) => {
        const widths = fitColumns(
          given.map(([one]) => one),
          given.map(([, cells]) => cells),
          10_000,
        );
        expect(widths).toEqual(given.map(([{ title }, cells]) => Math.max(title.length, cells)));
      }),
    );
  });
});

test.each([
  ["nothing", [], ""],
  ["zeros", [{ name: "a", count: 0 }], ""],
  [
    "several items",
    [
      { name: "a", count: 1 },
      { name: "b", count: 3 },
    ],
    "b 75%",
  ],
])("the top of %s is named", (_, items, expected) => {
  expect(mostOf(items, "name", "count")).toBe(expected);
});
