import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readDay, readNow, withTrend } from "../../src/board/board.ts";
import { toDay } from "../../src/board/day.ts";
import { renderFile } from "../../src/board/page/page.ts";
import { createClock } from "../../src/io/clock.ts";
import { startChromium } from "../report/browser.ts";
import { concern, makeAlert, writeAlerts } from "../world/alerts.ts";
import { findViolations } from "../world/axe.ts";
import { type CliHome, createCliHome, startReceiver } from "../world/cli-home.ts";
import { serveHome } from "./server/board-server.ts";

let browser: Browser;
let home: CliHome;
let board: Awaited<ReturnType<typeof serveHome>>;
const nowMs = new Date(2026, 10, 22, 15, 0).getTime();
const hostile = `"><script>document.title='taken'</script><img src=x onerror="document.title='taken'">`;

beforeAll(async () => {
  home = createCliHome();
  browser = await startChromium();
  fill();
  board = await serveHome(home, { ...createClock(), now: () => nowMs });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await board?.close();
  await home?.remove();
});

/** A busy day: 40 sessions wait, in projects with unusual names. */
function fill(): void {
  const projects = ["shop", "a-project-with-a-rather-long-name-that-does-not-fit", hostile, "データ", "infra"];
  const agents = ["claude", "codex", "droid", "gemini"];
  for (let index = 0; index < 120; index += 1) {
    const at = new Date(nowMs - index * 400_000).toISOString();
    const kind = index % 3 === 0 ? "failed" : "finished";
    const source = { agent: agents[index % 4] ?? "", project: projects[index % 5] ?? "" };
    const event = { id: `e${index}`, event: "Stop", sessionId: `s-${index % 9}`, kind, ...source };
    const facts = { title: hostile, summary: "All tests pass.", turnMs: 200_000, tokens: index * 9_000 };
    home.journal(
      { at, ...event, ...facts, status: "accepted" },
      { at, ...event, status: index % 7 === 0 ? "failed" : "sent", notifier: "desk", reason: "unavailable: no answer" },
    );
  }
  const kinds = ["needs-you", "needs-you", "finished", "failed"] as const;
  const alerts = Array.from({ length: 40 }, (_, index) => {
    const kind = kinds[index % 4] ?? "needs-you";
    const event = { message: `Bash: make ${index} ${hostile}` };
    const open = concern(`c${index}`, { kind, atMs: nowMs - index * index * 7_000, event });
    const names = { agent: agents[index % 4] ?? "", project: projects[index % 5] ?? "", sessionId: `w-${index}` };
    return makeAlert({ ...names, title: hostile, lastAtMs: nowMs, concerns: [open] });
  });
  writeAlerts(home, ...alerts);
}

async function open(address: string, options: { width?: number; colorScheme?: "light" | "dark" } = {}): Promise<Page> {
  const { width = 1_400, colorScheme = "light" } = options;
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  await page.goto(address);
  return page;
}

function writeDayFile(): string {
  const now = readNow(home.paths, nowMs);
  const file = join(home.home, "day.html");
  writeFileSync(file, renderFile(withTrend(readDay(toDay(nowMs), home.paths, now, ["desk"]), home.paths), now));
  return `file://${file}`;
}

// axe takes seconds for a page of this size.
describe.each([1_400, 360])("at %i px", { timeout: 120_000 }, (width) => {
  test.each(["light", "dark"] as const)("axe finds no fault on the page or in the file, %s", async (colorScheme) => {
    for (const address of [board.url, writeDayFile()]) {
      const page = await open(address, { colorScheme, width });
      await page.locator(".wait").first().waitFor();
      expect(await findViolations(page)).toEqual([]);
      await page.close();
    }
  });
});

test.each([360, 400, 500, 600, 800, 1_100, 1_280, 1_440, 1_640, 2_000])(
  "no element is wider than a window of %i px",
  { timeout: 120_000 },
  async (width) => {
    for (const address of [board.url, writeDayFile()]) {
      const page = await open(address, { width });
      await page.locator("#log li").first().waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      const isWide = "(table) => table.scrollWidth > table.clientWidth";
      const hidden = await page.evaluate(`[...document.querySelectorAll(".scroll")].filter(${isWide}).length`);
      expect(hidden, "tables with columns that are out of sight").toBe(0);
      await page.close();
    }
  },
);

test("tables are below one another on a laptop, and on a phone each figure has its column's name", async () => {
  const page = await open(board.url, { width: 1_440 });
  const left = (region: string) => page.evaluate(`document.querySelector(".card.${region}").offsetLeft`);
  expect(await left("agents")).toBe(await left("projects"));
  await page.setViewportSize({ width: 1_700, height: 900 });
  expect(await left("agents")).not.toBe(await left("projects"));
  await page.setViewportSize({ width: 400, height: 900 });
  const names = await page.evaluate<string[]>(
    `[...document.querySelectorAll("#agents tbody tr:first-child td")].map((cell) => getComputedStyle(cell, "::before").content.slice(1, -1))`,
  );
  expect(names).toEqual(expect.arrayContaining(["Waiting time", "Failed", "Sessions", "Tokens"]));
  expect(await page.locator("#agents table").getByRole("columnheader").count()).toBe(names.length + 1);
  await page.close();
});

test("a long text of the log is shown in full once it is opened", async () => {
  const page = await open(board.url, { width: 1_000 });
  const isCut = () =>
    page.evaluate(
      `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector("#log .what"))`,
    );
  expect(await isCut()).toBe(true);
  await page.locator("#log summary").first().focus();
  await page.keyboard.press("Enter");
  expect(await isCut()).toBe(false);
  await page.close();
});

test.each([1_200, 800])("the clock of a wait of days does not run into its text at %i px", async (width) => {
  const page = await open(board.url, { width });
  await page.locator(".wait").first().waitFor();
  const gap = await page.evaluate<number>(`(() => {
    const [clock, about] = [".clock", ".about"].map((part) => document.querySelector(".wait " + part));
    clock.textContent = "138 h 37 min";
    const text = document.createRange();
    text.selectNodeContents(clock);
    return about.getBoundingClientRect().left - text.getBoundingClientRect().right;
  })()`);
  expect(gap).toBeGreaterThan(0);
  await page.close();
});

test("a foreign page can neither read the board nor act, and injected code does not run", async () => {
  const elsewhere = await startReceiver();
  const foreign = await open(elsewhere.url);
  const tried = await foreign.evaluate(`Promise.all([
    fetch(${JSON.stringify(board.url)}).then(() => "read", () => "refused"),
    fetch(${JSON.stringify(`${board.url}seen`)}, { method: "POST", mode: "no-cors", body: "{}" }).then(() => "sent", () => "refused"),
  ])`);
  expect(tried).toEqual(["refused", "refused"]);
  expect(board.asked).toEqual([]);
  await foreign.close();
  const page = await open(board.url);
  await page.evaluate(`
    const script = document.createElement("script");
    script.textContent = "document.title = 'taken'";
    document.body.append(script);
    document.body.setAttribute("onclick", "document.title = 'taken'");
    document.body.click();
  `);
  expect(await page.title()).not.toBe("taken");
  await page.close();
  await elsewhere.close();
});

test("everything can be done by keyboard", async () => {
  const page = await open(board.url);
  await page.locator("#log li").first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("tests PASS");
  await expect.poll(() => page.locator("#log li").count()).toBe(120);
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown"); // in the filter, not to another day
  expect(page.url()).toBe(board.url);
  const seen = page.locator(".wait").nth(1).getByRole("button", { name: "Seen" });
  await seen.focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator("#notice").textContent()).toBe("seen done");
  expect(board.asked).toEqual([["seen", expect.stringMatching(/^[0-9a-f]{32}$/)]]);
  await page.locator("h1").click();
  await page.keyboard.press("ArrowLeft");
  await page.waitForURL(/\?day=2026-11-21$/);
  expect(await page.locator("h1").textContent()).toBe("Saturday 21 November 2026");
  await page.keyboard.press("ArrowRight");
  await page.waitForURL(/\?day=2026-11-22$/);
  await page.close();
});

test("tables are sorted by clicked column titles", async () => {
  const page = await open(board.url);
  const column = (at: number) => page.locator(`#agents tbody tr > :nth-child(${at})`).allTextContents();
  await page.locator("#agents").getByRole("button", { name: "Agent" }).click();
  expect(await column(1)).toEqual(["Claude Code", "Codex", "Droid", "Gemini CLI"]);
  await page.locator("#agents").getByRole("button", { name: "Failed" }).click();
  const failed = (await column(6)).map(Number);
  expect(failed).toEqual(failed.toSorted((a, b) => b - a));
  await page.close();
});
