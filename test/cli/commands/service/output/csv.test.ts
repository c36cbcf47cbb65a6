import fc from "fast-check";
import { expect, test } from "vitest";
import {
  csvColumns,
  csvHeader,
  csvLine,
  csvRow,
  extraPaths,
  longColumns,
  longRows,
  type Path,
} from "../../../../../src/cli/commands/service/output/csv.ts";
import { clean } from "../../../../../src/core/clean.ts";
import type { Endpoint } from "../../../../../src/service/endpoint.ts";
import { endpoints } from "../../../../../src/service/endpoints.ts";

/** Parses CSV by RFC 4180; throws for anything that it does not allow. */
function readCsv(text: string): string[][] {
  const records: string[][] = [[]];
  for (let at = 0; at < text.length; ) {
    const quoted = text[at] === '"';
    const pattern = quoted ? /"((?:[^"]|"")*)"(,|\r\n)/y : /([^",\r\n]*)(,|\r\n)/y;
    pattern.lastIndex = at;
    const [whole, cell = "", end] = pattern.exec(text) ?? [];
    if (whole === undefined) throw new Error(`not CSV at ${at}: ${text.slice(at, at + 20)}`);
    records.at(-1)?.push(quoted ? cell.replaceAll('""', '"') : cell);
    at += whole.length;
    if (end === "\r\n" && at < text.length) records.push([]);
  }
  return records;
}

const foreign = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '"',
      ",",
      "\n",
      "\r",
      "\t",
      " ",
      "=",
      "+",
      "-",
      "@",
      "'",
      "\0",
      "\u001b",
      "\u009b",
      "\ufeff",
      "＝",
      "é",
    ),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  ),
  maxLength: 12,
});

test("texts survive CSV, cleaned, with an apostrophe before formulas", () => {
  fc.assert(
    fc.property(fc.array(fc.array(foreign, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 5 }), (rows) => {
      const text = rows.map((row) => `${csvLine(row)}\r\n`).join("");
      const expected = rows.map((row) => row.map((cell) => clean(cell)));
      const read = readCsv(text);
      expect(read.map((row) => row.length)).toEqual(rows.map((row) => row.length));
      read.forEach((row, y) => {
        row.forEach((cell, x) => {
          const whole = expected[y]?.[x] ?? "";
          expect([whole, `'${whole}`]).toContain(cell);
          expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
        });
      });
      expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["=1+1", "'=1+1"],
  ["+49 30", "'+49 30"],
  ["-x", "'-x"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\tx", '"\'\tx"'],
  ["\r=1", '"\'\n=1"'],
  ["\u0000=1", "'=1"],
  ["＝1", "'＝1"],
  ["a=1", "a=1"],
  [-5, "-5"],
  [true, "true"],
  [null, ""],
  [undefined, ""],
  [["=1"], '"[""=1""]"'],
  [{ a: 1 }, '"{""a"":1}"'],
  ["two words", "two words"],
  [" edge", '" edge"'],
])("%j is written %j", (cell, text) => expect(csvLine([cell])).toBe(text));

test("a nested field has a column, and an undocumented one is added at the end", () => {
  const paths: Path[] = [["id"], ["user", "name"], ["absent"]];
  const rows = [
    { id: 1, user: { name: "A", "=new": 2 } },
    { id: 2, user: null, extra: [1] },
  ];
  const all = [...paths, ...extraPaths(paths, rows)];
  expect(csvHeader(all)).toBe("id,user.name,absent,user.=new,extra");
  expect(rows.map((row) => csvRow(all, row))).toEqual(["1,A,,2,", "2,,,,[1]"]);
  expect(extraPaths(all, rows)).toEqual([]);
});

test("a field named like an inherited one is an ordinary field", () => {
  expect(csvRow([["constructor"], ["toString"]], { toString: 1 })).toBe(",1");
  expect(extraPaths([], [JSON.parse('{"__proto__":1}')])).toEqual([["__proto__"]]);
});

test("the columns are the documented fields, and an object of plain values has one for each", () => {
  const columns = Object.fromEntries(
    endpoints.map((endpoint) => [endpoint.name, csvColumns(endpoint, false).map((path) => path.join("."))]),
  );
  expect(columns["readiness.reports"]).toEqual([
    ...["reportId", "createdAt", "repoUrl", "apps", "report", "commitHash", "branch", "hasLocalChanges"],
    ...["hasNonRemoteCommits", "modelUsed.id", "modelUsed.reasoningEffort", "agentVersion"],
  ]);
  expect(columns["enterpriseControls.history"]).toEqual([
    ...["revision", "settings", "user.id", "user.email", "user.name", "updatedAt"],
  ]);
  expect(columns["sessions.list"]).toContain("sessionSettings");
  expect(Object.values(columns).filter((names) => new Set(names).size !== names.length)).toEqual([]);
});

test("a nested value that is too long for a cell stays empty, and its column is told", () => {
  const told: Path[] = [];
  const row = { id: 1, short: [1], long: Array(20_000).fill(1), text: "x".repeat(40_000) };
  const line = csvRow([["id"], ["short"], ["long"], ["text"]], row, (path) => told.push(path));
  expect(line).toBe(`1,[1],,${row.text}`);
  expect(told).toEqual([["long"]]);
});

test("the long form has a line for each item of a list or map, with the row's plain values", () => {
  const named = (name: string): Endpoint => endpoints.find((one) => one.name === name) as Endpoint;
  const columns = (name: string, field: string) => longColumns(named(name), false, field).map((path) => path.join("."));
  expect(columns("analytics.productivity", "by_language")).toEqual([
    ...["date", "files_created", "files_edited", "git_commits", "git_prs_created"],
    ...["by_language.language", "by_language.count"],
  ]);
  expect(columns("readiness.reports", "report").slice(-4)).toEqual([
    ...["report.key", "report.numerator", "report.denominator", "report.rationale"],
  ]);
  expect(columns("analytics.users", "languages").at(-1)).toBe("languages.value");
  expect(longRows({ id: 1, list: [{ a: 1 }, { a: 2 }] }, "list")).toEqual([
    { id: 1, list: { a: 1 } },
    { id: 1, list: { a: 2 } },
  ]);
  expect(longRows({ map: { x: 1, y: { z: 2 } } }, "map")).toEqual([
    { map: { key: "x", value: 1 } },
    { map: { key: "y", z: 2 } },
  ]);
  expect(longRows({ list: null }, "list")).toEqual([]);
});
