import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { findUp } from "../../files/find-up.ts";
import { Html, html } from "../../text/html.ts";
import { computeFigures } from "../figures.ts";
import { daysText, instantText, periodText } from "../format.ts";
import { findSharedGap, formatPeopleGap, listGaps } from "../gaps.ts";
import { buildPlots } from "../plots.ts";
import { coveredDays, isComplete, type UsageReport } from "../report.ts";
import type { Section } from "../section.ts";
import { buildSections } from "../sections.ts";
import { buildSummary } from "../summary.ts";
import { card } from "./card.ts";
import { definitions, figureCards, tiles } from "./figure-cards.ts";
import { sectionCard } from "./section-card.ts";
import { usersCard } from "./users-card.ts";

/** Icon of the page: three bars. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%233b6fd4' d='M2 9h3v6H2zM6.5 1h3v14h-3zM11 5h3v10h-3z'/%3E%3C/svg%3E";

/**
 * Renders a report as one self-contained HTML page. The page contains its style sheet and script, and its
 * Content-Security-Policy allows no others. All texts from the service are escaped.
 */
export function renderPage(report: UsageReport): string {
  const style = readTemplate("report.css");
  const script = readTemplate("sort.js");
  const policy = `default-src 'none'; style-src ${hashSource(style)}; script-src ${hashSource(script)}; img-src data:; base-uri 'none'; form-action 'none'`;
  // The page's head has the gap that all parts share.
  const shared = findSharedGap(report);
  const hideShared = <Item extends { readonly gap: string }>(items: readonly Item[]): Item[] =>
    items.map((item) => (shared !== "" && item.gap === shared ? { ...item, gap: "" } : item));
  const figures = hideShared(computeFigures(report));
  const sections = hideShared(buildSections(report));
  const [people = { gap: "" }] = hideShared([{ gap: formatPeopleGap(report) }]);
  const renderSection = (section: Section): Html => sectionCard(section, report.price?.currency ?? "");
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="${icon}">
<title>Usage report, ${periodText(report.period)}</title>
<style>${new Html(style)}</style>
</head>
<body>
${header(report)}
<main>
${summaryCard(report)}
${notices(report)}
${tiles(figures)}
<div class="cards">
${sections.filter(({ id }) => id === "budget").map(renderSection)}
${figureCards(figures)}
${hideShared(buildPlots(report)).map(card)}
${report.people === undefined ? [] : usersCard(report.people, people.gap, report.price)}
${sections.filter(({ id }) => id !== "budget").map(renderSection)}
${definitions(figures)}
</div>
</main>
<footer>Made by beckon from the service’s daily rows.</footer>
<script>${new Html(script)}</script>
</body>
</html>
`;
  return page.text;
}

/** Renders the summary: a sentence and a remark. */
function summaryCard(report: UsageReport): Html {
  const { sentence, remark } = buildSummary(report);
  return html`<section class="card summary" id="summary" aria-label="Summary"><p>${sentence}</p><p class="about">${remark}</p></section>`;
}

/** Renders the page's head: the organization, the days, when the report was made, and the period to compare with. */
function header(report: UsageReport): Html {
  const { organization, period, days, previous, madeAt } = report;
  const compared = previous === undefined ? "" : `Compared with ${periodText(previous.period)}.`;
  return html`<header>
<h1>Usage report</h1>
<p>${organization === undefined ? [] : html`<bdi>${organization}</bdi> · `}${periodText(period)} <span>${daysText(coveredDays(report).length, days.length)}</span></p>
<p class="made">Made on ${instantText(madeAt)}. ${compared}</p>
</header>`;
}

/** Reads a file in `templates/report`. */
function readTemplate(name: string): string {
  const path = findUp(import.meta.url, `templates/report/${name}`);
  if (path === undefined) throw new Error(`beckon's file templates/report/${name} is missing`);
  return readFileSync(path, "utf8");
}

function hashSource(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** Renders a notice above the report that lists all gaps and their reasons; empty if there are no gaps. */
function notices(report: UsageReport): Html {
  const gaps = listGaps(report);
  if (gaps.length === 0) return html``;
  const heading = isComplete(report) ? "About this report" : "This report is incomplete";
  const lines = gaps.map(({ title, isBefore, text, plainText = text, hint }) => {
    const subject = `${title}${isBefore ? ", period before" : ""}`;
    // The hint of a failed request is for whoever runs the command: it names options and addresses.
    const advice = plainText === text ? (hint ?? "") : "";
    return html`<li><strong>${subject}</strong>: <bdi>${plainText}</bdi>. <bdi>${advice}</bdi></li>`;
  });
  return html`<aside class="notice" aria-label="${heading}"><h2>${heading}</h2><ul>${lines}</ul></aside>`;
}
