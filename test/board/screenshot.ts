/** `npx tsx test/board/screenshot.ts` takes the picture of the board in the documentation. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { createClock } from "../../src/io/clock.ts";
import { startChromium } from "../report/browser.ts";
import { createCliHome } from "../world/cli-home.ts";
import { nowMs, writeSampleWeeks } from "./sample-weeks.ts";
import { serveHome } from "./server/board-server.ts";

const path = join(import.meta.dirname, "..", "..", "docs", "images", "board.png");
const width = 1200;
const home = createCliHome();
writeSampleWeeks(home);
const board = await serveHome(home, { ...createClock(), now: () => nowMs });
const browser = await startChromium();
const page = await browser.newPage({ colorScheme: "light", viewport: { width, height: 900 } });
await page.clock.setFixedTime(nowMs);
await page.goto(board.url);
await page.locator("#log li").first().waitFor();
const last = await page.locator(".card.projects").boundingBox();
const height = Math.ceil((last?.y ?? 0) + (last?.height ?? 0) + 12);
await page.screenshot({ path, clip: { x: 0, y: 0, width, height }, fullPage: true });
await browser.close();
await board.close();
await home.remove();
// A palette is enough for flat colours, and a quarter of the bytes.
execFileSync("convert", [path, "-strip", "-dither", "None", "-colors", "160", `PNG8:${path}`]);
