import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { findUp } from "../../core/find-up.ts";
import { figuresOf } from "../figures.ts";
import { counted, instantText, periodText } from "../format.ts";
import { plotsOf } from "../plots.ts";
import { partTitles, type UsageReport } from "../report.ts";
import { card } from "./card.ts";
import { Html, html } from "./html.ts";
import { usersCard } from "./users-card.ts";

/** Icon of the page: three bars. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%233b6fd4' d='M2 9h3v6H2zM6.5 1h3v14h-3zM11 5h3v10h-3z'/%3E%3C/svg%3E";

/**
 * A report as one self-contained HTML page: style sheet and script are inlined, and its Content-Security-Policy allows
 * nothing else. All texts of the service are escaped.
 */
export function renderPage(report: UsageReport): string {
  const style = templateOf("report.css");
  const script = templateOf("sort.js");
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; img-src data:; base-uri 'none'; form-action 'none'`;
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
<header>
<h1>Usage report</h1>
<p>${periodText(report.period)} <span>${counted(report.days.length, "days")}, UTC</span></p>
</header>
<main>
${notices(report)}
${tiles(report)}
<div class="cards">
${plotsOf(report).map(card)}
${report.people === undefined ? [] : usersCard(report.people)}
</div>
</main>
<footer>Made by beckon on ${instantText(report.madeAt)}. All numbers are sums of the service’s daily rows.</footer>
<script>${new Html(script)}</script>
</body>
</html>
`;
  return page.text;
}

function tiles(report: UsageReport): Html {
  const tile = ({ title, value, note }: ReturnType<typeof figuresOf>[number]): Html =>
    html`<div class="tile"><dt>${title}</dt><dd class="value">${value}</dd><dd class="note">${note}</dd></div>`;
  return html`<dl class="tiles">${figuresOf(report).map(tile)}</dl>`;
}

/** A notice of the parts and rows that are not in the report, and why. */
function notices({ missing, strayRows }: UsageReport): Html {
  const lines = missing.map(
    ({ part, reason, hint = "" }) =>
      html`<li><strong>${partTitles[part]}</strong>: <bdi>${reason}</bdi> <bdi>${hint}</bdi></li>`,
  );
  const strays = html`<li>The service also sent ${counted(strayRows, "rows")} for other days; they are not counted.</li>`;
  const all = strayRows === 0 ? lines : [...lines, strays];
  if (all.length === 0) return html``;
  const title = missing.length === 0 ? "Left out" : "Not in this report";
  return html`<aside class="notice" aria-label="${title}"><h2>${title}</h2><ul>${all}</ul></aside>`;
}

/** The text of a file in `templates/report`. */
function templateOf(name: string): string {
  const path = findUp(import.meta.url, `templates/report/${name}`);
  if (path === undefined) throw new Error(`beckon's file templates/report/${name} is missing`);
  return readFileSync(path, "utf8");
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
