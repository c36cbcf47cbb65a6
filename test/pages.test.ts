import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { readDay, readNow } from "../src/board/board.ts";
import { renderFile, renderLive } from "../src/board/page/page.ts";
import { buildCoverage } from "../src/report/coverage.ts";
import { renderPage } from "../src/report/page/page.ts";
import { summarizeCredits } from "../src/report/parts.ts";
import { at, line } from "./board/journal.ts";
import { creditsRow, days, emptyReport, quietUser, tallyPeople } from "./report/rows.ts";
import { concern, makeAlert, writeAlerts } from "./world/alerts.ts";
import { createCliHome } from "./world/cli-home.ts";
import { collectFailures } from "./world/collect-failures.ts";

const hostileNames = [
  ...["</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onmouseover='x", "<!--", "]]>"],
  ...["<style>*{}</style>", "javascript:alert(1)", "&lt;b&gt;", "&#60;b>", "</svg><a href=javascript:1>", "<title>x"],
  ...["</textarea>", "</bdi><b>", "<a\nhref=x>", "%3Cscript%3E", "$&$1$`", "{{x}}", "__proto__", "constructor"],
  ...["\u202egnp.exe", "\u001b]0;x\u0007", "a\u0000b", "\ud83d", "\u2028x", "\ufeffx", "\u{e0041}tag", "=1+1"],
];
const controls = /[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
const nowMs = at("22 23:55");

/** Renders the board as a page and as a file, with one name wherever there is a name. */
function renderBoard(name: string): string[] {
  const home = createCliHome();
  const session = { agent: name, project: name, sessionId: name, title: name };
  home.journal(
    line("22 12:00", "one", { ...session, summary: name, status: "accepted", kind: "finished" }),
    line("22 12:00", "one", { ...session, status: "failed", notifier: name, reason: name, host: name }),
  );
  const open = concern("two", { atMs: nowMs - 5_000, event: { message: name, project: name } });
  writeAlerts(home, makeAlert({ ...session, host: name, lastAtMs: nowMs, concerns: [open] }));
  const now = readNow(home.paths, nowMs);
  const report = readDay("2026-11-22", home.paths, now, [name, "desk"]);
  rmSync(home.home, { recursive: true });
  return [renderFile(report, now), renderLive(report, now)];
}

/** Renders a usage report with one name wherever there is a name. */
function renderReport(name: string): string {
  const user = { ...quietUser, user_id: name, user_email: name, primary_model: name, delegation_level: name };
  const people = tallyPeople([{ ...user, billable_tokens: 3, sessions: 1, tool_calls: 1 }]);
  const coverage = { activity: buildCoverage({ failure: { reason: name, hint: name } }) };
  const credits = summarizeCredits([creditsRow(days[0], name, 7)], days);
  return renderPage({ ...emptyReport, credits, people, coverage, organization: name });
}

/** Lists each kind of element and attribute of a page. */
function findMarkup(page: string): readonly string[] {
  const tags = page.match(/<[a-z!/][^>]*>/gi) ?? [];
  const names = tags.flatMap((tag) => tag.replace(/"[^"]*"/g, '""').match(/^<[^\s>]+|\s[a-z:-]+=/gi) ?? []);
  return [...new Set(names)].sort();
}

test("no name can add markup or control characters to the board or the report", async () => {
  const render = (name: string): string[] => [...renderBoard(name), renderReport(name)];
  const plain = render("plain").map(findMarkup);
  const check = (name: string): void => {
    const pages = render(name);
    expect(pages.map(findMarkup)).toEqual(plain);
    for (const page of pages) expect(page).not.toMatch(controls);
  };
  expect(await collectFailures(hostileNames, check)).toEqual([]);
});
