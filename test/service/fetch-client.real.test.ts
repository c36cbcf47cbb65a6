import { expect, onTestFinished, test } from "vitest";
import { fakeService } from "../../src/service-testing.ts";
import { startChromium } from "../report/browser.ts";
import { noonMs, yesterday } from "../world/service/client.ts";
import { bundleProgram, walkProgram } from "./browser-bundle.ts";

const origin = "https://service.example";

test("the client for fetch works on a page in Chromium", async () => {
  const service = await fakeService({ users: 120, days: 2, now: () => noonMs });
  const { code } = await bundleProgram(walkProgram);
  const browser = await startChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.route(`${origin}/**`, async (route) => {
    const request = route.request();
    if (request.url() === `${origin}/`) return route.fulfill({ contentType: "text/html", body: "<title>App</title>" });
    const body = request.postData();
    const init = { method: request.method(), headers: await request.allHeaders(), ...(body !== null && { body }) };
    const reply = await service.fetch(request.url(), init);
    return route.fulfill({ status: reply.status, contentType: "application/json", body: await reply.text() });
  });
  await page.goto(`${origin}/`);
  await page.addScriptTag({ content: `const now = () => ${noonMs}; ${code}` });
  const given = { baseUrl: origin, apiKey: service.apiKey, memberKey: service.keys.member };
  const days = { startDate: "2026-06-01", endDate: yesterday };
  const result = await page.evaluate(`walk({ ...${JSON.stringify({ ...given, days })}, now })`);
  await service.close();
  const counts = { users: 120, rows: 240, reports: 30 };
  expect(JSON.parse(String(result))).toEqual({ ...counts, name: "from a browser", isPermissionError: true });
  expect(complaints.filter((text) => !text.includes("403"))).toEqual([]);
}, 120_000);
