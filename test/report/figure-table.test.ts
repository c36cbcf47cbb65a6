import { describe, expect, test } from "vitest";
import { renderPage } from "../../src/report/page/page.ts";
import { collectPlain, type Row, readFigure } from "./plain-service.ts";

const on =
  (day: string, changes: Row) =>
  (rows: Row[]): Row[] =>
    rows.map((row) => (row["date"] === day ? { ...row, ...changes } : row));

describe("the cache share", () => {
  const excess = { cache_read_tokens: 5000 };
  test.each<[string, (rows: Row[]) => Row[], number | undefined]>([
    ["counts reads as part of the input", (rows) => rows, 0.6],
    ["counts reads beside the input if they exceed it every day", cache(12_000, 1000), 12_000 / 13_000],
    ["counts reads beside the input if they exceed it on a day", on("2026-06-12", excess), 7400 / 12_400],
    ["is 100% if everything comes from the cache", cache(500, 0), 1],
    ["is unknown without input", cache(0, 0), undefined],
  ])("%s", async (_, tokens, share) => {
    const figure = readFigure(await collectPlain({ tokens }), "cache_share");
    if (share === undefined) expect(figure?.value).toBeUndefined();
    else expect(figure?.value).toBeCloseTo(share, 10);
  });

  test("is computed alike for both periods that are compared", async () => {
    const figure = readFigure(await collectPlain({ tokens: on("2026-06-06", excess) }), "cache_share");
    expect(figure?.value).toBeCloseTo(3000 / 8000, 10);
    expect(figure?.previous).toBeCloseTo(7400 / 12_400, 10);
  });
});

function cache(cache_read_tokens: number, input_tokens: number) {
  return (rows: Row[]): Row[] => rows.map((row) => ({ ...row, cache_read_tokens, input_tokens }));
}

test("calls and prompts per prompt and session are quotients of sums, over the days that have both", async () => {
  const quiet = on("2026-06-11", { sessions: 1, user_messages: 1 });
  const report = await collectPlain({ activity: (rows) => quiet(rows).filter((row) => row["date"] !== "2026-06-14") });
  const calls = 4 * 240 + 3 * (10 + 11 + 12 + 13);
  expect(readFigure(report, "autonomy_avg")).toMatchObject({ gap: "4 of 5 days" });
  expect(readFigure(report, "autonomy_avg")?.value).toBeCloseTo(calls / 91, 10);
  expect(readFigure(report, "tool_calls_per_session")?.value).toBeCloseTo(calls / 37, 10);
  expect(readFigure(report, "prompts_per_session")?.value).toBeCloseTo(91 / 37, 10);
});

test("the median and 90th percentile are means of days, as their definitions and the plot say", async () => {
  const report = await collectPlain();
  expect(readFigure(report, "autonomy_p50")).toMatchObject({
    title: "Tool calls per prompt: median",
    value: 5,
    definition: expect.stringContaining("averaged over the days"),
  });
  expect(readFigure(report, "autonomy_p90")?.definition).toContain("averaged over the days");
  expect(renderPage(report)).toContain("<bdi>daily median</bdi> <span>5.00</span>");
});

test("no two cards of the page have the same title", async () => {
  const titles = [...renderPage(await collectPlain()).matchAll(/<h2 [^>]*>([^<]*)/g)].map(([, title]) => title);
  expect(titles).toContain("Autonomy levels");
  expect(new Set(titles).size).toBe(titles.length);
});
