import { parse } from "csv-parse/sync";
import fc from "fast-check";
import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { countCells } from "../../../../../src/cli/columns.ts";
import {
  csvColumns,
  csvLine,
  csvRow,
  extraPaths,
  findRowSchema,
  longColumns,
  longRows,
  type Path,
} from "../../../../../src/cli/commands/service/output/csv.ts";
import { createProgress } from "../../../../../src/cli/commands/service/output/progress.ts";
import { printDetail, rowDetails, withInstants } from "../../../../../src/cli/commands/service/output/row-printer.ts";
import {
  type Column,
  column,
  columnGap,
  fitColumns,
  formatLargest,
  type RowDetails,
  ratio,
  Table,
  time,
  whole,
} from "../../../../../src/cli/commands/service/output/table.ts";
import { bar, downsample } from "../../../../../src/cli/commands/service/report/report-text.ts";
import type { CliContext } from "../../../../../src/cli/context.ts";
import { jsonLine } from "../../../../../src/cli/output/json-line.ts";
import type { Endpoint } from "../../../../../src/service/endpoint.ts";
import { endpoints } from "../../../../../src/service/endpoints.ts";
import { clean } from "../../../../../src/text/clean.ts";
import { measureCpuMs } from "../../../../core/cpu-time.ts";
import { startStrangeService } from "../../../../service/strange-service.ts";
import { createTerminal, sharedServiceHome } from "../../../../world/service-home.ts";

const rowSchema = (name: string) => findRowSchema(endpoints.find((each) => each.name === name) as Endpoint, false);
const newSession = { sessionId: "s", status: "idle", messageCount: 0, createdAt: 1, updatedAt: 1 };

test.each([
  ["the whole", 8, 8, "████"],
  ["a half", 4, 8, "██"],
  ["a part of a cell", 1, 8, "▌"],
  ["almost nothing", 1, 1e9, "▏"],
  ["nothing", 0, 8, ""],
  ["less than nothing", -3, 8, ""],
  ["of nothing", 0, 0, ""],
])("a horizontal bar of %s", (_, value, greatest, expected) => {
  expect(bar(value, greatest, 4, false)).toBe(expected);
});

test("downsampled values keep their means, and are as many as requested", () => {
  expect(downsample([1, 3, 5, 7, 9], 3)).toEqual([2, 6, 9]);
  expect(downsample([1, 2], 5)).toEqual([1, 2]);
  expect(downsample([1, null, null, null, 9], 3)).toEqual([1, null, 9]);
  fc.assert(
    fc.property(fc.array(fc.nat(100), { maxLength: 60 }), fc.integer({ min: 1, max: 80 }), (own, most) => {
      const shown = downsample(own, most);
      expect(shown.length).toBeLessThanOrEqual(most);
      expect(Math.max(-1, ...shown.map((value) => value ?? 0))).toBeLessThanOrEqual(Math.max(-1, ...own) + 1e-9);
    }),
    { numRuns: 300 },
  );
});

const anyUnit = fc.string({ unit: "binary", minLength: 1, maxLength: 1 });
const special = fc.constantFrom(..."\",\n\r\t =+-@'\0\u001b\u009b\ufeff＝é");
const foreign = fc.string({ unit: fc.oneof(special, anyUnit), maxLength: 12 });

test("texts survive CSV, cleaned, with an apostrophe before formulas", () => {
  fc.assert(
    fc.property(fc.array(fc.array(foreign, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 5 }), (rows) => {
      const text = rows.map((row) => `${csvLine(row)}\r\n`).join("");
      const expected = rows.map((row) => row.map((cell) => clean(cell)));
      const read: string[][] = parse(text, { record_delimiter: "\r\n" });
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
  expect(all.map((path) => path.join("."))).toEqual(["id", "user.name", "absent", "user.=new", "extra"]);
  expect(rows.map((row) => csvRow(all, row))).toEqual(["1,A,,2,", "2,,,,[1]"]);
  expect(extraPaths(all, rows)).toEqual([]);
});

test("a field named like an inherited one is an ordinary field", () => {
  expect(csvRow([["constructor"], ["toString"]], { toString: 1 })).toBe(",1");
  expect(extraPaths([], [JSON.parse('{"__proto__":1}')])).toEqual([["__proto__"]]);
});

test("the columns are the documented fields, and an object of plain values has one for each", () => {
  const names = (endpoint: Endpoint) => csvColumns(findRowSchema(endpoint, false)).map((path) => path.join("."));
  const columns = Object.fromEntries(endpoints.map((endpoint) => [endpoint.name, names(endpoint)]));
  expect(columns["readiness.reports"]).toEqual([
    ...["reportId", "createdAt", "repoUrl", "apps", "report", "commitHash", "branch", "hasLocalChanges"],
    ...["hasNonRemoteCommits", "modelUsed.id", "modelUsed.reasoningEffort", "agentVersion"],
  ]);
  const history = ["revision", "settings", "user.id", "user.email", "user.name", "updatedAt"];
  expect(columns["enterpriseControls.history"]).toEqual(history);
  expect(columns["sessions.list"]).toContain("sessionSettings");
  expect(Object.values(columns).filter((names) => new Set(names).size !== names.length)).toEqual([]);
});

test("a nested value that is too long for a cell stays empty, and its column is named", () => {
  const dropped: Path[] = [];
  const row = { id: 1, short: [1], long: Array(20_000).fill(1), text: "x".repeat(40_000) };
  const line = csvRow([["id"], ["short"], ["long"], ["text"]], row, (path) => dropped.push(path));
  expect(line).toBe(`1,[1],,${row.text}`);
  expect(dropped).toEqual([["long"]]);
});

test("the long form has a line for each item of a list or map, with the row's plain values", () => {
  const columns = (name: string, field: string) => longColumns(rowSchema(name), field).map((path) => path.join("."));
  expect(columns("analytics.productivity", "by_language")).toEqual([
    ...["date", "files_created", "files_edited", "git_commits", "git_prs_created"],
    ...["by_language.language", "by_language.count"],
  ]);
  const inner = ["report.key", "report.numerator", "report.denominator", "report.rationale"];
  expect(columns("readiness.reports", "report").slice(-4)).toEqual(inner);
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

describe("instants", () => {
  test("are found by schema, also in lists, and an impossible instant stays a number", () => {
    const step = { startedAt: 0, completedAt: 8.7e15, retryAt: 5 };
    expect(withInstants(rowSchema("computers.update"), { createdAt: 1, provisioningSteps: [step] })).toEqual({
      createdAt: "1970-01-01T00:00:00.001Z",
      provisioningSteps: [{ ...step, startedAt: "1970-01-01T00:00:00.000Z" }],
    });
  });

  test("are never found in free objects, whatever these contain", () => {
    const named = fc.dictionary(fc.constantFrom("truncateAt", "stopAt", "createdAt", "x"), fc.jsonValue());
    fc.assert(
      fc.property(named, (free) => {
        const rows = {
          "users.list": { id: "u", metadata: free, seenAt: 1 },
          "sessions.list": { sessionId: "s", sessionSettings: { tags: [{ name: "t", metadata: free }] } },
          "enterpriseControls.history": { settings: { customModels: [{ extraArgs: free }] }, updatedAt: "2026-01-01" },
        };
        for (const [name, row] of Object.entries(rows)) expect(withInstants<object>(rowSchema(name), row)).toEqual(row);
      }),
      { numRuns: 100 },
    );
  });

  test("of an object are shown in local time, and free numbers as numbers", async () => {
    const service = await startStrangeService(() => ({
      body: { ...newSession, sessionSettings: { tags: [], childInclusiveTokenUsageBySessionId: { stopAt: 4096 } } },
    }));
    const { stdout } = await service.run("sessions create --computer-id c1");
    expect(stdout).toMatch(/^createdAt +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/m);
    expect(stdout).toMatch(/BySessionId.stopAt +4,096$/m);
  });
});

function printDetailLines(value: object): string[] {
  const lines: string[] = [];
  printDetail(value, { print: (line) => void lines.push(line), colors: picocolors.createColors(false) });
  return lines;
}

test("an object has a line for each field that is not empty, and nested fields are shown by their path", () => {
  const createdAt = "2026-06-01 12:34:56";
  const settings = { model: "m", tokenUsage: { inputTokens: 1234567 }, enabledToolIds: ["Read", "Edit"], absent: null };
  const empty = { title: undefined, cwd: null, tags: [], metadata: {} };
  expect(printDetailLines({ sessionId: "s", createdAt, isError: false, ...empty, settings })).toEqual([
    "sessionId                        s",
    "createdAt                        2026-06-01 12:34:56",
    "isError                          false",
    "settings.model                   m",
    "settings.tokenUsage.inputTokens  1,234,567",
    "settings.enabledToolIds          Read, Edit",
  ]);
});

test("each object of a list has a line, and the name is shown once", () => {
  const steps = [
    { name: "clone", status: "done" },
    { name: "install", error: "exit\ncode" },
  ];
  expect(printDetailLines({ steps, id: "c" })).toEqual([
    "steps  name clone, status done",
    "       name install, error exit code",
    "id     c",
  ]);
});

test("a message's text keeps its lines, but no terminal sequences", () => {
  const content = [
    { text: "first\n  second\u001b[2J", id: "1" },
    { text: "third", id: "2" },
  ];
  expect(printDetailLines({ id: "m\u001b[31m", content })).toEqual([
    "id       m",
    "content  first",
    "           second",
    "         third",
  ]);
});

test("a line of JSON parses to the same value, and has no control characters", () => {
  const special = fc.constantFrom(..."\u009b\u001b\n\u2028\u202e\u2066\ufeff\u{e0041}\u007f\ud800é");
  const unit = fc.oneof(special, anyUnit);
  const text = fc.string({ unit, maxLength: 10 });
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.integer(), fc.array(text))), (value) => {
      const line = jsonLine(value);
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u);
    }),
    { numRuns: 500 },
  );
});

const change = (settings: object) => ({ revision: 1, settings, user: {}, updatedAt: "" });
const listDetails = (name: string) => rowDetails[name] as RowDetails<object>;
const changes = (from: object, to: object) => listDetails("enterpriseControls.history")(change(to), change(from));

test("a settings change has the old and new value of each setting", () => {
  const from = { days: 30, policy: { ids: ["a"], isOpen: true }, gone: "x" };
  const to = { days: 31, policy: { ids: ["a", "b"], isOpen: true }, added: null };
  expect(changes(from, to)).toEqual([
    "days: 30 → 31",
    'policy.ids: ["a"] → ["a","b"]',
    'gone: "x" → (none)',
    "added: (none) → null",
  ]);
  expect(changes(from, from)).toEqual([]);
});

test("a changed secret is named without its value, at any depth", () => {
  const models = (apiKey: string, x: string) => ({ customModels: { own: { apiKey, extraHeaders: { x } } } });
  expect(changes(models("canary-1", "canary-2"), models("canary-3", "canary-4"))).toEqual([
    'customModels.own.apiKey: "[secret]" → "[secret]"',
    'customModels.own.extraHeaders.x: "[secret]" → "[secret]"',
  ]);
  expect(changes({}, models("canary-1", "canary-2")).join()).not.toContain("canary");
});

test("long values are cut, and the last row of a page has nothing to compare with", () => {
  const lines = changes({ list: [] }, { list: Array(500).fill("command") });
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(90);
  expect(listDetails("enterpriseControls.history")(change({}))).toEqual([]);
});

test("a readiness report names the failed criteria, with reasons, most failures first", () => {
  const report = {
    some: { numerator: 1, denominator: 2, rationale: "Half\nof them." },
    all: { numerator: 2, denominator: 2, rationale: "Fine." },
    none: { numerator: 0, denominator: 3, rationale: "No tests." },
  };
  const failing = ["none 0 of 3: No tests.", "some 1 of 2: Half of them."];
  expect(listDetails("readiness.reports")({ report })).toEqual(failing);
});

describe("row printer", () => {
  const world = sharedServiceHome({ users: 1000, reports: 20 });
  const splitLines = (text: string): string[] => text.trimEnd().split(/\r?\n/);

  test("details are below their row, and fit the width", async () => {
    const terminal = createTerminal(60);
    const readiness = (await world.run("readiness reports --limit 20", { terminal })).stdout.split("\n");
    const at = readiness.findIndex((line) => line.includes("tests_exist"));
    expect(readiness[at]).toMatch(/^ {4}tests_exist [01] of 2: Unit tests run in CI\.$/);
    expect(readiness[at - 1]).toMatch(/ [12] of 3 /);
    const history = (await world.run("enterprise-controls history --limit 3", { terminal })).stdout.split("\n");
    expect(history).toContain("    sessionRetentionDays: 89 → 90");
    for (const line of [...readiness, ...history]) expect(line.length).toBeLessThanOrEqual(60);
  });

  test("no CSV cell exceeds a spreadsheet's limit, and standard error says how to get the rest", async () => {
    const { exitCode, stdout, stderr } = await world.run("analytics tokens --since 2d --csv");
    expect(exitCode).toBe(0);
    for (const line of splitLines(stdout)) expect(line.length).toBeLessThan(40_000);
    expect(stderr).toBe(
      "Some values of by_user are empty because they are too long for a cell; use --each by_user to print a line for each item.\n",
    );
  });

  test("--each prints a line for each item, and the totals match", async () => {
    const { stdout, stderr } = await world.run(
      "analytics tokens --since 1d --each by_user --columns date,billable_tokens,by_user.billable_tokens",
    );
    const [head, ...rows] = splitLines(stdout).map((line) => line.split(","));
    expect([head, stderr]).toEqual([["date", "billable_tokens", "by_user.billable_tokens"], ""]);
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.reduce((total, [, , own]) => total + Number(own), 0)).toBe(Number(rows[0]?.[1]));
  });

  test("--columns chooses columns of a table and of CSV, in the given order", async () => {
    const table = await world.run(["analytics", "activity", "--since", "2d", "--columns", "sessions,Day"]);
    expect(splitLines(table.stdout)[0]).toMatch(/^sessions {2}day$/);
    const csv = await world.run("users list --limit 2 --csv --columns email,id");
    const first = expect.stringMatching(/@example\.com,user_000000$/);
    expect(splitLines(csv.stdout)).toEqual(["email,id", first, expect.any(String)]);
  });

  test.each([
    ["--columns day,nonsense", /--columns: unknown name "nonsense"/, /Known names: day, users, /],
    ["--columns date,nonsense --csv", /--columns: unknown name "nonsense"/, /Known names: date, daily_active_users, /],
    ["--each nonsense", /--each: unknown name "nonsense"/, /Known names: daily_active_users_by_client\./],
    ["--columns day --json", /cannot be used with/, /json/],
  ])("%s is wrong usage, and nothing is sent", async (options, message, hint) => {
    const before = world.sandbox.seen.length;
    const { exitCode, stderr } = await world.run(`analytics activity --since 1d ${options}`);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(hint);
    expect(world.sandbox.seen).toHaveLength(before);
  });
});

type Row = Readonly<Record<string, string | number | undefined>>;
const columns: readonly Column<Row>[] = [
  whole("id", (row) => row["id"]),
  column("text", (row) => row["text"]),
  column("count", (row) => row["count"]),
  column("other", (row) => row["other"]),
];

function draw(pages: readonly (readonly Row[])[], width?: number, shown = columns) {
  const lines: string[] = [];
  const table = new Table(shown, {
    print: (line) => void lines.push(line),
    colors: picocolors.createColors(false),
    maxCells: width,
  });
  for (const rows of pages) table.print(rows);
  return { lines, remarks: table.remarks() };
}

const noRoomFor = (titles: string) => `No room for ${titles}. Use --csv or --json to see everything.`;

test("numbers and their titles are right-aligned with thousands separators, texts left-aligned", () => {
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

test("instants are shown to the minute with the zone in the title, other texts unchanged", () => {
  const at = Date.parse(new Date(2026, 5, 1, 12, 34, 56).toString());
  const times = [time<Row>("at", (row) => row["id"])];
  expect(draw([[{ id: at }, { id: "last week" }, {}]], undefined, times).lines).toEqual([
    expect.stringMatching(/^at \(.+\)$/),
    "2026-06-01 12:34",
    "last week",
    "",
  ]);
});

test("columns that do not fit are cut, then left out from the end and named", () => {
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
  const lines = () => draw([[{ id: "a", text: "é".repeat(4_000_000) }]]).lines;
  expect(measureCpuMs(lines)).toBeLessThan(1_000);
  expect(countCells(lines()[1] ?? "")).toBe(4 + 200);
});

const title = fc.constantFrom("id", "title", "twelve cells");
const shape = fc.record({ title, mayCut: fc.boolean(), widest: fc.nat(60) });
const shapes = fc.array(shape, { minLength: 1, maxLength: 8 });

test("the layout is not wider than the terminal, unless a single column is", () => {
  fc.assert(
    fc.property(shapes, fc.integer({ min: 10, max: 200 }), (given, maxCells) => {
      const widths = fitColumns(given, maxCells);
      const total = widths.reduce((sum, width) => sum + width, columnGap * (widths.length - 1));
      expect(widths.length).toBeGreaterThan(0);
      if (widths.length > 1) expect(total).toBeLessThanOrEqual(maxCells);
      widths.forEach((width, at) => {
        const { title = "", widest = 0, mayCut } = given[at] ?? {};
        const natural = Math.max(title.length, widest);
        expect(width).toBeLessThanOrEqual(natural);
        if (!mayCut) expect(width).toBe(natural);
      });
    }),
  );
});

test.each([
  ["nothing", [], ""],
  ["zeros", [{ name: "a", count: 0 }], ""],
  ["several items", Object.entries({ a: 1, b: 3 }).map(([name, count]) => ({ name, count })), "b 75%"],
])("the top of %s is named", (_, items, expected) => {
  expect(formatLargest(items, "name", "count")).toBe(expected);
});

/** Creates a terminal, and an interval that ticks on command. */
function createProgressWorld() {
  const errorTerminal = createTerminal(20);
  const ticks: (() => void)[] = [];
  const timer = { cancel: () => ticks.splice(0), ref: () => timer };
  const every = (_: number, act: () => void) => {
    ticks.push(act);
    return timer;
  };
  const context = { errorTerminal, every, environment: { env: {} } } as unknown as CliContext;
  return { errorTerminal, ticks, progress: createProgress(context) };
}

const clear = "\r\u001b[2K";

test("the progress line is there at once, its mark moves, and it disappears", () => {
  const { errorTerminal, ticks, progress } = createProgressWorld();
  progress.spin("Requesting …");
  expect(errorTerminal.written).toBe(`${clear}| Requesting …`);
  ticks[0]?.();
  progress.spin("900 rows …");
  ticks[0]?.();
  expect(errorTerminal.written).toMatch(/\/ Requesting ….*\/ 900 rows ….*- 900 rows …$/s);
  expect(ticks).toHaveLength(1);
  progress.clear();
  expect(errorTerminal.written.endsWith(clear)).toBe(true);
  expect(ticks).toEqual([]);
});

test("a line is cut to the terminal", () => {
  const { errorTerminal, progress } = createProgressWorld();
  progress.spin("x".repeat(50));
  expect(errorTerminal.written.slice(clear.length)).toHaveLength(19);
  progress.clear();
});
