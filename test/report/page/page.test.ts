import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { collect } from "../../../src/report/collect.ts";
import { coverageOf } from "../../../src/report/coverage.ts";
import { figuresOf } from "../../../src/report/figures.ts";
import { renderPage } from "../../../src/report/page/page.ts";
import { activityOf, creditsOf, productivityOf, toolUseOf } from "../../../src/report/parts.ts";
import { PeopleTally } from "../../../src/report/people.ts";
import { clientOf, noonMs, openSandbox } from "../../world/service/client.ts";
import { period } from "../front.ts";
import { creditsRow, days, emptyReport } from "../rows.ts";

const hostile = '</script><img src=x onerror=alert(1)>"\u202e';
const row = (model: string) => creditsRow(days[0], model, 7);

/** All tags of a page, with their attributes. */
const tagsOf = (page: string): string[] => page.match(/<[^>]*>/g) ?? [];

test("the page's policy allows only its own style and script", async () => {
  const page = renderPage(await collect(clientOf(await openSandbox({ users: 20 })), period, { nowMs: noonMs }));
  const hash = (text = ""): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const styles = [...page.matchAll(/<style>(.*?)<\/style>/gs)];
  const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)];
  expect([styles.length, scripts.length]).toEqual([1, 1]);
  const policy = `default-src 'none'; style-src ${hash(styles[0]?.[1])}; script-src ${hash(scripts[0]?.[1])}; img-src data:; base-uri 'none'; form-action 'none'`;
  const escaped = policy.replaceAll("'", "&#39;");
  expect(page).toContain(`<meta http-equiv="Content-Security-Policy" content="${escaped}">`);
});

test("the page has no link to anything outside", async () => {
  const page = renderPage(await collect(clientOf(await openSandbox({ users: 20 })), period, { nowMs: noonMs }));
  const addresses = tagsOf(page).flatMap((tag) =>
    [...tag.matchAll(/ (?:src|href|srcset|action)="([^"]*)"/g)].map(([, to]) => to),
  );
  expect(addresses).toEqual([expect.stringMatching(/^data:image\/svg\+xml,/)]);
  expect(page).not.toMatch(/@import|url\(|@font-face/);
});

test("hostile names are escaped", () => {
  const tally = new PeopleTally();
  const counts = { tool_calls: 1, files_created: 0, files_edited: 0, git_commits: 0, git_prs_created: 0, mcp_calls: 0 };
  const more = { skill_calls: 0, slash_commands: 0, hooks: 0, sessions: 1, messages: 1, user_messages: 1 };
  tally.add({
    ...counts,
    ...more,
    user_id: hostile,
    user_email: hostile,
    date: days[0],
    billable_tokens: 3,
    primary_model: hostile,
    primary_model_tier: "standard",
    assistant_messages: 0,
    autonomy_ratio: 1,
    delegation_level: hostile,
    languages: [],
  });
  const coverage = { activity: coverageOf({ failure: { reason: hostile, hint: hostile } }) };
  const credits = creditsOf([row(hostile), row("x".repeat(10_000))], days);
  const page = renderPage({ ...emptyReport, credits, people: tally.result(), coverage, organization: hostile });
  expect(page).not.toContain("<img");
  expect(page.match(/<\/script>/g)).toHaveLength(1);
  expect(page).toContain("<bdi>&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;</bdi>");
  expect(page).not.toContain("x".repeat(81));
});

test("the page says what is missing, on top and beside the figure, and what is compared", () => {
  const page = renderPage({
    ...emptyReport,
    credits: creditsOf([row("m")], days),
    coverage: {
      credits: coverageOf({ absentDays: days.slice(1), strayRows: 2 }),
      people: coverageOf({ failure: { reason: "403 Forbidden", hint: "Ask a Manager." } }),
    },
    previous: { period: { startDate: "2026-05-29", endDate: "2026-05-31" }, days: [], coverage: {} },
  });
  expect(page).toContain("<h2>This report is not complete</h2>");
  expect(page).toContain("<strong>Users</strong>: <bdi>missing: 403 Forbidden</bdi>. <bdi>Ask a Manager.</bdi>");
  expect(page).toContain("<bdi>no data for 2 of 3 days (2–3 Jun)</bdi>");
  expect(page).toContain("<bdi>2 rows for other days are not counted</bdi>");
  expect(page).toContain('<dd class="value">7 <span class="gap">1 of 3 days</span></dd>');
  expect(page).toContain('<dt>Sessions</dt><dd class="value">–');
  expect(page).toMatch(/<bdi>org<\/bdi>.*1 Jun 2026 to 3 Jun 2026 <span>1 of 3 days have data, UTC/);
  expect(page).toContain("Made on 4 Jun 2026, 10:00 UTC. Compared with 29 May 2026 to 31 May 2026.");
  expect(page).not.toContain('id="users"');
});

test("a report that lacks nothing has no notice, and defines each of its figures", () => {
  const page = renderPage({ ...emptyReport, coverage: { credits: coverageOf({}) } });
  expect(page).not.toContain('class="notice"');
  for (const { title, definition } of figuresOf(emptyReport)) {
    expect(page).toContain(`<dt>${title}</dt><dd>${definition}</dd>`);
  }
});

test("a period without data has no empty axes, legends and tables", () => {
  const report = {
    ...emptyReport,
    credits: creditsOf([], days),
    activity: activityOf([], days),
    toolUse: toolUseOf([], days),
    productivity: productivityOf([], days),
    people: new PeopleTally().result(),
  };
  const page = renderPage(report);
  expect(page.match(/<section/g)).toHaveLength(15);
  expect(page.match(/None in this period\./g)).toHaveLength(9);
  expect(page).not.toMatch(/<table|class="legend"|role="img"|0\.0%/);
});

test("the same report gives the same page", () => {
  const report = { ...emptyReport, credits: creditsOf([row("m")], days) };
  expect(renderPage(report)).toBe(renderPage(report));
});
