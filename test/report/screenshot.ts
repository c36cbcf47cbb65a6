/** `npx tsx test/report/screenshot.ts` takes the documentation's pictures of the sandbox's report, light and dark. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { collect } from "../../src/report/collect.ts";
import { renderPage } from "../../src/report/page/page.ts";
import { makeClient, noonMs } from "../world/service/client.ts";
import { startSandbox } from "../world/service/server.ts";
import { startChromium } from "./browser.ts";
import { period } from "./front.ts";

const docs = join(import.meta.dirname, "..", "..", "docs", "images");
const price = { perCredit: 0.00002, currency: "EUR" };
const sandbox = await startSandbox({ now: () => noonMs });
const html = renderPage(await collect(makeClient(sandbox), period, { nowMs: noonMs, price }));
await sandbox.close();
const browser = await startChromium();
for (const [colorScheme, name] of [
  ["light", "report.png"],
  ["dark", "report-dark.png"],
] as const) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1120, height: 1400 }, deviceScaleFactor: 1.5 });
  await page.setContent(html);
  const last = await page.locator("#credits").boundingBox();
  const height = Math.ceil((last?.y ?? 0) + (last?.height ?? 0) + 12);
  const path = join(docs, name);
  await page.screenshot({ path, clip: { x: 0, y: 0, width: 1120, height }, fullPage: true });
  // A palette is enough for flat colours, and a quarter of the bytes.
  const palette = ["-strip", "-dither", "None", "-colors", "128", "-define", "png:compression-level=9"];
  execFileSync("convert", [path, ...palette, `PNG8:${path}`]);
}
await browser.close();
