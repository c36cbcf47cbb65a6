import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collect } from "../../src/report/collect.ts";
import { renderPage } from "../../src/report/page/page.ts";
import { rankingOf } from "../../src/report/ranking.ts";
import type { UsageReport } from "../../src/report/report.ts";
import type { ActivityRow } from "../../src/service/schemas/activity-row.ts";
import type { CreditsByModelRow } from "../../src/service/schemas/credits-row.ts";
import type { ProductivityRow } from "../../src/service/schemas/productivity-row.ts";
import type { ToolUsageRow } from "../../src/service/schemas/tool-usage-row.ts";
import type { UserRow } from "../../src/service/schemas/user-row.ts";
import { startReceiver } from "../cli/cli-home.ts";
import { type Sandbox, startSandbox } from "../helpers/service/server.ts";
import { all, clientOf, noonMs } from "../helpers/service/world.ts";
import { startChromium } from "./browser.ts";
import { sumOf } from "./rows.ts";
import { period } from "./world.ts";

/** What the service says, asked for apart from the report. */
interface Rows {
  readonly models: readonly CreditsByModelRow[];
  readonly activity: readonly ActivityRow[];
  readonly tools: readonly ToolUsageRow[];
  readonly productivity: readonly ProductivityRow[];
  readonly users: readonly UserRow[];
}

let folder: string;
let report: UsageReport;
let url: string;
let sandbox: Sandbox;
let browser: Browser;
let rows: Rows;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "beckon-page-"));
  sandbox = await startSandbox({ now: () => noonMs });
  const client = clientOf(sandbox);
  const { analytics } = client;
  rows = {
    models: await all(analytics.tokens({ ...period, groupBy: "model" })),
    activity: await all(analytics.activity(period)),
    tools: await all(analytics.tools(period)),
    productivity: await all(analytics.productivity(period)),
    users: await all(analytics.users({ ...period, limit: 100 })),
  };
  report = await collect(client, period, { nowMs: noonMs });
  url = written("report.html", renderPage(report));
  browser = await startChromium();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a page into the folder. Returns its address. */
function written(name: string, page: string): string {
  writeFileSync(join(folder, name), page);
  return pathToFileURL(join(folder, name)).href;
}

/** Opens the page and takes note of all it asks for and all the browser complains about. */
async function open(options: { colorScheme?: "light" | "dark"; width?: number; at?: string } = {}) {
  const { colorScheme = "light", width = 1200, at = url } = options;
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.addInitScript({
    content: "document.addEventListener('securitypolicyviolation', (event) => console.error(event.violatedDirective))",
  });
  await page.goto(at);
  return { page, asked, complaints };
}

const number = (text: string | undefined): number => Number(text?.replaceAll(",", ""));

/** What the titles of a visible plot's marks say: `label, series: number unit`. */
async function marksOf(page: Page, id: string): Promise<Map<string, number>> {
  const texts = await page
    .locator(`#${id} .plot svg:visible [data-mark] > title`)
    .evaluateAll((titles) => titles.map((title) => title.textContent ?? ""));
  return new Map(
    texts.map((text) => {
      const [, name = "", value] = /^(.*): ([\d,]+)(?: .*)?$/.exec(text) ?? [];
      return [name, number(value)];
    }),
  );
}

/** The cells of a card's table, row by row, without its title row. */
function tableOf(page: Page, id: string): Promise<string[][]> {
  return page
    .locator(`#${id} tbody tr, #${id} tfoot tr`)
    .evaluateAll((lines) =>
      lines.map((line) =>
        [...(line as unknown as { cells: { textContent: string }[] }).cells].map((cell) => cell.textContent),
      ),
    );
}

const label = (date: string): string =>
  new Date(date).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

test("nothing is asked for but the page, and the browser has nothing to complain about", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const { page, asked, complaints } = await open({ colorScheme });
    await page.locator("summary").first().click();
    await page.mouse.wheel(0, 5_000);
    expect(asked.filter((one) => !one.startsWith("data:"))).toEqual([url]);
    expect(complaints).toEqual([]);
    await page.close();
  }
});

test("the policy holds: a script, a style and a picture from elsewhere are refused", async () => {
  const { page, complaints } = await open();
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

describe("every plot shows the service's rows", () => {
  let page: Page;
  beforeAll(async () => {
    ({ page } = await open());
  });
  afterAll(() => page.close());

  test("the key figures are their sums", async () => {
    const tiles = await page
      .locator(".tile")
      .evaluateAll((all) => all.map((tile) => [...tile.children].slice(0, 2).map(({ textContent }) => textContent)));
    const active = new Set(rows.users.filter(({ sessions }) => sessions > 0).map(({ user_id }) => user_id));
    const { users } = rows;
    expect(tiles.map(([title, value]) => [title, number(value ?? "")])).toEqual([
      ["Credits", sumOf(users, (row) => row.billable_tokens)],
      ["Active users", active.size],
      ["Sessions", sumOf(users, (row) => row.sessions)],
      ["Tool calls", sumOf(users, (row) => row.tool_calls)],
      ["Commits", sumOf(users, (row) => row.git_commits)],
      ["Pull requests", sumOf(users, (row) => row.git_prs_created)],
    ]);
  });

  test("credits by model and day", async () => {
    const marks = await marksOf(page, "credits");
    expect(marks.size).toBe(rows.models.length);
    for (const row of rows.models) expect(marks.get(`${label(row.date)}, ${row.group_key}`)).toBe(row.billable_tokens);
    const total = (await tableOf(page, "credits")).at(-1)?.slice(1).map(number);
    expect(sumOf(total ?? [], (value) => value)).toBe(sumOf(rows.models, (row) => row.billable_tokens));
  });

  test("active users by client", async () => {
    const marks = await marksOf(page, "clients");
    expect(marks.size).toBe(rows.activity.length * 3);
    for (const { date, daily_active_users_by_client: clients } of rows.activity) {
      expect(marks.get(`${label(date)}, Terminal`)).toBe(clients["terminal-ui"]);
      expect(marks.get(`${label(date)}, Web`)).toBe(clients["web"]);
      expect(marks.get(`${label(date)}, Headless`)).toBe(clients["non-interactive-cli"]);
    }
  });

  test("commits and pull requests", async () => {
    const marks = await marksOf(page, "git");
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
      for (const { tool, invocations } of by_tool) tools.set(tool, (tools.get(tool) ?? 0) + invocations);
      for (const { event, matcher, count } of hooks_by_event) {
        const name = matcher === "" ? event : `${event} (${matcher})`;
        hooks.set(name, (hooks.get(name) ?? 0) + count);
      }
    }
    const some = (counts: Map<string, number>) => new Map([...counts].filter(([, count]) => count > 0));
    expect(await marksOf(page, "tools")).toEqual(some(tools));
    expect(await marksOf(page, "hooks")).toEqual(some(hooks));
  });

  test("the distribution of autonomy", async () => {
    const levels = ["auto_high", "auto_medium", "auto_low", "manual"] as const;
    const calls = sumOf(rows.tools, (row) => row.tool_calls);
    const shares = levels.map((level) => {
      const part = sumOf(rows.tools, (row) => row.tool_calls * row.tool_autonomy_level_ratio[level]);
      return `${((100 * part) / calls).toFixed(1)}%`;
    });
    const table = await tableOf(page, "autonomy");
    expect(table.at(-1)).toEqual(["All", ...shares]);
    expect(table).toHaveLength(rows.tools.length + 1);
    expect((await marksOf(page, "autonomy")).size).toBe(rows.tools.length * 4);
    expect(await page.locator("#autonomy .legend").textContent()).toContain(shares[0]);
  });

  test("the top users", async () => {
    const credits = new Map<string, number>();
    for (const { user_id, user_email, billable_tokens } of rows.users) {
      const name = user_email ?? user_id;
      credits.set(name, (credits.get(name) ?? 0) + billable_tokens);
    }
    const top = [...credits].sort(([, a], [, b]) => b - a).slice(0, 25);
    const table = await tableOf(page, "users");
    expect(table.slice(0, -1).map(([name, value]) => [name, number(value)])).toEqual(top);
    expect(table.at(-1)?.slice(0, 2)).toEqual([
      "All 1,000 users",
      sumOf([...credits.values()], (one) => one).toLocaleString("en"),
    ]);
  });

  test("each has a name, a drawing that is seen, and its numbers as a table", async () => {
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

test("a column sorts the users, by the pointer and by the keyboard", async () => {
  const { page } = await open();
  const column = async (at: number): Promise<string[]> =>
    (await tableOf(page, "users")).slice(0, -1).map((cells) => cells[at] ?? "");
  const order = (title: string) => page.getByRole("columnheader", { name: title }).getAttribute("aria-sort");
  expect(await order("Credits")).toBe("descending");
  await page.getByRole("button", { name: "Sessions" }).click();
  const down = (await column(2)).map(number);
  expect(down).toEqual(down.toSorted((a, b) => b - a));
  expect([await order("Sessions"), await order("Credits")]).toEqual(["descending", "none"]);
  await page.getByRole("button", { name: "Sessions" }).press("Enter");
  expect((await column(2)).map(number)).toEqual(down.toSorted((a, b) => a - b));
  expect(await order("Sessions")).toBe("ascending");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Space");
  const names = await column(0);
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, "en")));
  await page.close();
});

test("dark is another page: its ground, its text and its plots", async () => {
  const seen = await Promise.all(
    (["light", "dark"] as const).map(async (colorScheme) => {
      const { page } = await open({ colorScheme });
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

test.each([390, 800, 1200])("at %d pixels nothing sticks out, and the plots' text can be read", async (width) => {
  const { page } = await open({ width });
  const { scroll, sizes } = await page.evaluate<{ scroll: number; sizes: number[] }>(`({
    scroll: document.documentElement.scrollWidth,
    sizes: [...document.querySelectorAll(".plot text")]
      .filter((text) => text.checkVisibility())
      .map((text) => text.getBoundingClientRect().height),
  })`);
  expect(scroll).toBeLessThanOrEqual(width);
  expect(Math.min(...sizes)).toBeGreaterThan(10);
  await page.close();
});

test("printed it is light, fits the paper, and leaves nothing out", async () => {
  const { page } = await open({ colorScheme: "dark", width: 700 });
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

test("names that would like to be markup are read as they are", async () => {
  const name = "</script></title><img src=x onerror=document.title='taken'>\"'&amp;";
  const text = ["Read", "model-large", "Tracker", rows.users[0]?.user_email ?? ""].reduce(
    (json, own) => json.replaceAll(JSON.stringify(own), JSON.stringify(name)),
    JSON.stringify(report),
  );
  const { page, complaints } = await open({ at: written("hostile.html", renderPage(JSON.parse(text))) });
  expect(complaints).toEqual([]);
  expect(await page.title()).toMatch(/^Usage report/);
  expect(await page.locator("img, script ~ *").count()).toBe(0);
  expect(await page.locator("#credits .legend bdi").allTextContents()).toContain(name);
  expect((await tableOf(page, "tools")).map(([first]) => first)).toContain(name);
  expect([...(await marksOf(page, "tools")).keys()]).toContain(name);
  await page.close();
});

test("no name of a ranking, however wide, reaches into the bars", async () => {
  const names = [
    "W".repeat(80),
    "x".repeat(80),
    "日本語のとても長い名前".repeat(5),
    "👩‍👩‍👧‍👦".repeat(20),
    "א".repeat(80),
  ];
  const tools = rankingOf(names.map((name, n) => [name, 100 - n]));
  const { toolUse, ...rest } = report;
  if (toolUse === undefined) throw new Error("there is no use of tools");
  const at = written("wide.html", renderPage({ ...rest, toolUse: { ...toolUse, tools } }));
  for (const width of [400, 1400]) {
    const { page } = await open({ at, width });
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

test.each(["print", "screen"] as const)("in narrow %s the long names of users are whole", async (media) => {
  const { people, ...rest } = report;
  if (people === undefined) throw new Error("there are no users");
  const name = "somebody.with.a.very.long.name.indeed@department.example.com";
  const top = people.top.map((user) => ({ ...user, name, model: `model-${"x".repeat(60)}` }));
  const at = written("names.html", renderPage({ ...rest, people: { ...people, top } }));
  const { page } = await open({ at, width: media === "print" ? 700 : 400 });
  await page.emulateMedia({ media });
  const cut = await page.evaluate<
    string[]
  >(`[...document.querySelectorAll("${media === "print" ? ".users td, " : ""}.users tbody th")]
    .filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)`);
  expect(cut).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  await page.close();
});
