import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type * as analytics from "../../src/service/schemas/analytics.ts";
import { all } from "../world/service/client.ts";
import { period } from "./front.ts";
import { parseNumber, readMarks, readTable, useReportBrowser } from "./report-browser.ts";
import { sumBy } from "./rows.ts";

/** The service's rows, requested without the report. */
interface Rows {
  readonly models: readonly analytics.CreditsByModelRow[];
  readonly activity: readonly analytics.ActivityRow[];
  readonly tools: readonly analytics.ToolUsageRow[];
  readonly productivity: readonly analytics.ProductivityRow[];
  readonly users: readonly analytics.UserRow[];
}

const browser = useReportBrowser();
let rows: Rows;
let page: Page;
beforeAll(async () => {
  const { analytics } = browser.client;
  rows = {
    models: await all(analytics.tokens({ ...period, groupBy: "model" })),
    activity: await all(analytics.activity(period)),
    tools: await all(analytics.tools(period)),
    productivity: await all(analytics.productivity(period)),
    users: await all(analytics.users({ ...period, limit: 100 })),
  };
  ({ page } = await browser.open());
}, 120_000);

const label = (date: string): string =>
  new Date(date).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

describe("every plot shows the service's rows", () => {
  test("the key figures are the sums of the rows", async () => {
    const tiles = await page.locator(".tile").evaluateAll((all) =>
      all.map((tile) => [
        tile.querySelector("dt")?.textContent,
        // The text for screen readers is exact.
        (tile.querySelector(".value .hidden") ?? tile.querySelector(".value"))?.textContent,
      ]),
    );
    const active = new Set(rows.users.filter(({ sessions }) => sessions > 0).map(({ user_id }) => user_id));
    const { users } = rows;
    expect(tiles.map(([title, value]) => [title, parseNumber(value ?? "")])).toEqual([
      ["Credits", sumBy(users, (row) => row.billable_tokens)],
      ["Active users", active.size],
      ["Sessions", sumBy(users, (row) => row.sessions)],
      ["Tool calls", sumBy(users, (row) => row.tool_calls)],
      ["Commits", sumBy(users, (row) => row.git_commits)],
      ["Pull requests", sumBy(users, (row) => row.git_prs_created)],
    ]);
  });

  test("credits by model and day", async () => {
    const marks = await readMarks(page, "credits");
    expect(marks.size).toBe(rows.models.length);
    for (const row of rows.models) expect(marks.get(`${label(row.date)}, ${row.group_key}`)).toBe(row.billable_tokens);
    const total = (await readTable(page, "credits")).at(-1)?.slice(1).map(parseNumber);
    expect(sumBy(total ?? [], (value) => value)).toBe(sumBy(rows.models, (row) => row.billable_tokens));
  });

  test("active users by client", async () => {
    const marks = await readMarks(page, "clients");
    expect(marks.size).toBe(rows.activity.length * 3);
    for (const { date, daily_active_users_by_client: clients } of rows.activity) {
      expect(marks.get(`${label(date)}, Terminal`)).toBe(clients["terminal-ui"]);
      expect(marks.get(`${label(date)}, Web`)).toBe(clients["web"]);
      expect(marks.get(`${label(date)}, Headless`)).toBe(clients["non-interactive-cli"]);
    }
  });

  test("commits and pull requests", async () => {
    const marks = await readMarks(page, "git");
    expect(marks.size).toBe(rows.productivity.length * 2);
    for (const { date, git_commits, git_prs_created } of rows.productivity) {
      expect(marks.get(`${label(date)}, Commits`)).toBe(git_commits);
      expect(marks.get(`${label(date)}, Pull requests`)).toBe(git_prs_created);
    }
  });

  test("the use of tools and hooks", async () => {
    const tools = new Map<string, number>();
    const hooks = new Map<string, number>();
    for (const { by_tool, hooks_by_event } of rows.tools) {
      for (const { tool, invocations } of by_tool) {
        const name = tool.includes("<") ? "(not a name)" : tool;
        tools.set(name, (tools.get(name) ?? 0) + invocations);
      }
      for (const { event, matcher, count } of hooks_by_event) {
        const name = matcher === "" ? event : `${event} (${matcher})`;
        hooks.set(name, (hooks.get(name) ?? 0) + count);
      }
    }
    const some = (counts: Map<string, number>) => new Map([...counts].filter(([, count]) => count > 0));
    expect(await readMarks(page, "tools")).toEqual(some(tools));
    expect(await readMarks(page, "hooks")).toEqual(some(hooks));
  });

  test("the distribution of autonomy", async () => {
    const levels = ["auto_high", "auto_medium", "auto_low", "manual"] as const;
    const calls = sumBy(rows.tools, (row) => row.tool_calls);
    const shares = levels.map((level) => {
      const part = sumBy(rows.tools, (row) => row.tool_calls * row.tool_autonomy_level_ratio[level]);
      return `${((100 * part) / calls).toFixed(1)}%`;
    });
    const table = await readTable(page, "autonomy");
    expect(table.at(-1)).toEqual(["Total", ...shares]);
    expect(table).toHaveLength(rows.tools.length + 1);
    expect((await readMarks(page, "autonomy")).size).toBe(rows.tools.length * 4);
    expect(await page.locator("#autonomy .legend").textContent()).toContain(shares[0]);
  });

  test("the top users", async () => {
    const credits = new Map<string, number>();
    for (const { user_id, user_email, billable_tokens } of rows.users) {
      const name = user_email ?? user_id;
      credits.set(name, (credits.get(name) ?? 0) + billable_tokens);
    }
    const top = [...credits].sort(([, a], [, b]) => b - a).slice(0, 25);
    const table = await readTable(page, "users");
    expect(table.slice(0, -2).map(([name, value]) => [name, parseNumber(value)])).toEqual(top);
    const total = sumBy([...credits.values()], (value) => value);
    const rest = total - sumBy(top, ([, value]) => value);
    expect(table.at(-2)?.slice(0, 2)).toEqual(["975 other users", rest.toLocaleString("en")]);
    expect(table.at(-1)?.slice(0, 2)).toEqual(["All 1,000 users", total.toLocaleString("en")]);
  });

  test("each has a name, a visible drawing, and its numbers as a table", async () => {
    const cards = await page.locator("section.card:has(.plot)").all();
    expect(cards.length).toBeGreaterThanOrEqual(6);
    for (const card of cards) {
      const drawing = card.getByRole("img");
      expect(await drawing.count()).toBe(1);
      expect(await drawing.getAttribute("aria-label")).toContain(await card.getByRole("heading").textContent());
      const box = await drawing.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThan(40);
      expect(await card.locator("table tbody tr").count()).toBeGreaterThan(0);
    }
  });
});
