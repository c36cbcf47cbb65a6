import picocolors from "picocolors";
import { expect, test } from "vitest";
import { reportText } from "../../src/cli/commands/service/report/report-text.ts";
import { computeFigures } from "../../src/report/figures.ts";
import { renderPage } from "../../src/report/page/page.ts";
import { buildPlots } from "../../src/report/plots.ts";
import { readHtmlText } from "../world/html-text.ts";
import { collectPlain, fiveDays } from "./plain-service.ts";

const day = { startDate: "2026-06-14", endDate: "2026-06-14" };

test("a report of one day has no averages a day, no peak and no chart of a single mark", async () => {
  const report = await collectPlain({}, day);
  const page = renderPage(report);
  const text = reportText(report, { columns: 80, isAscii: false, colors: picocolors.createColors(false) });
  for (const shown of [readHtmlText(page), text]) expect(shown).not.toMatch(/\d a day|[Pp]eak|by model and day/);
  expect(computeFigures(report)[0]).toMatchObject({ id: "credits", value: 6000, note: "" });
  const overDays = buildPlots(report).filter(({ kind }) => kind !== "ranking");
  for (const { id } of overDays) {
    const [card = ""] = new RegExp(`<section[^>]* id="${id}".*?</section>`, "s").exec(page) ?? [];
    expect(card, id).toMatch(/class="legend".*<table/s);
    expect(card, id).not.toContain('role="img"');
  }
  expect(page).toContain('role="img"');
});

test("a report of several days has them", async () => {
  const page = readHtmlText(renderPage(await collectPlain({}, fiveDays)));
  expect(page).toMatch(/6,000 a day/);
  expect(page).toMatch(/Peak on 10 Jun: 6,000 credits\./);
});
