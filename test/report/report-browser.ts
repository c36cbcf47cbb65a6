import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { collect, sectionNames } from "../../src/report/collect.ts";
import { renderPage } from "../../src/report/page/page.ts";
import type { UsageReport } from "../../src/report/report.ts";
import type { ServiceClient } from "../../src/service.ts";
import { makeClient, noonMs } from "../world/service/client.ts";
import { startSandbox } from "../world/service/server.ts";
import { useShared } from "../world/use.ts";
import { startChromium } from "./browser.ts";
import { period } from "./front.ts";

interface OpenOptions {
  readonly colorScheme?: "light" | "dark";
  readonly width?: number;
  /** Report to show; default: the sandbox's report. */
  readonly report?: UsageReport;
}

/** A page in the browser. */
interface OpenPage {
  readonly page: Page;
  readonly url: string;
  /** Addresses that the page requested. */
  readonly requests: readonly string[];
  /** Messages of the browser's console, uncaught errors and violations of the page's policy. */
  readonly complaints: readonly string[];
}

/** The sandbox's report, and a browser that shows it. */
interface ReportBrowser {
  readonly client: ServiceClient;
  readonly report: UsageReport;
  open(options?: OpenOptions): Promise<OpenPage>;
  close(): Promise<void>;
}

/** All optional sections, with data for each. */
const everything = {
  sections: sectionNames,
  budget: { credits: 3_000_000_000 },
  teams: new Map([
    ["shop", ["user_000001@example.com", "nobody@example.com"]],
    ["Platform & tools", ["user_000002@example.com"]],
  ]),
} as const;

/** The sandbox's report with one change of settings on each of some days, as numbered marks. */
export function withMarks(report: UsageReport, days: readonly string[]): UsageReport {
  const change = { by: "ada@example.com", settings: ["mcpPolicy"] };
  return { ...report, controls: { changes: days.map((day, index) => ({ revision: index + 1, day, ...change })) } };
}

/** Gives the tests of a file a browser that they share. */
export function useReportBrowser(): ReportBrowser {
  return useShared("close", startReportBrowser, 120_000);
}

async function startReportBrowser(): Promise<ReportBrowser> {
  const folder = mkdtempSync(join(tmpdir(), "beckon-page-"));
  const sandbox = await startSandbox({ now: () => noonMs });
  const client = makeClient(sandbox);
  const report = await collect(client, period, { nowMs: noonMs, ...everything });
  const browser: Browser = await startChromium();
  let pages = 0;

  return {
    client,
    report,
    async open({ colorScheme = "light", width = 1200, report: shown = report } = {}) {
      const path = join(folder, `report-${pages++}.html`);
      writeFileSync(path, renderPage(shown));
      const url = pathToFileURL(path).href;
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
      const requests: string[] = [];
      const complaints: string[] = [];
      page.on("request", (request) => requests.push(request.url()));
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      const reported = "(event) => console.error(event.violatedDirective)";
      await page.addInitScript({ content: `document.addEventListener('securitypolicyviolation', ${reported})` });
      await page.goto(url);
      return { page, url, requests, complaints };
    },
    async close() {
      await browser.close();
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const parseNumber = (text: string | undefined): number => Number(text?.replaceAll(",", ""));

/** Reads the values in the titles of a visible plot's marks, by the text before them: `label, series: value unit`. */
export async function readMarks(page: Page, id: string): Promise<Map<string, number>> {
  const texts = await page
    .locator(`#${id} .plot svg:visible [data-mark] > title`)
    .evaluateAll((titles) => titles.map((title) => title.textContent ?? ""));
  return new Map(
    texts.map((text) => {
      const [, name = "", value] = /^(.*): ([\d,]+)(?: .*)?$/.exec(text) ?? [];
      return [name, parseNumber(value)];
    }),
  );
}

/** Reads the cells of a card's table, row by row, without its title row. */
export function readTable(page: Page, id: string): Promise<string[][]> {
  return page
    .locator(`#${id} tbody tr, #${id} tfoot tr`)
    .evaluateAll((lines) =>
      lines.map((line) =>
        [...(line as unknown as { cells: { textContent: string }[] }).cells].map((cell) => cell.textContent),
      ),
    );
}
