import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { findUp } from "../../files/paths.ts";
import { Html, html, renderDocument } from "../../text/html.ts";
import { computeFigures } from "../figures.ts";
import { countText, daysText, instantText, moneyText, numberText, periodText, shareText } from "../format.ts";
import { findSharedGap, formatPeopleGap, listGaps } from "../gaps.ts";
import type { People, UserCounts, UserLine } from "../people.ts";
import { buildPlots, noneInPeriod } from "../plots.ts";
import { coveredDays, isComplete, type Price, type UsageReport } from "../report.ts";
import { computeCost, formatCell, type Section, type SectionCell, type SectionColumn } from "../section.ts";
import { buildSections } from "../sections.ts";
import { sum } from "../series.ts";
import { buildSummary } from "../summary.ts";
import { card } from "./card.ts";
import { arrow, definitions, figureCards, gapBadge, tiles } from "./figure-cards.ts";

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
  const head = html`<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="icon" href="${icon}">
<title>Usage report, ${periodText(report.period)}</title>
<style>${new Html(style)}</style>`;
  const body = html`${header(report)}
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
<script>${new Html(script)}</script>`;
  return renderDocument(head, body).text;
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

/**
 * Renders a section of the page: a sentence and a table.
 * @param currency ISO 4217 code for money
 */
function sectionCard(section: Section, currency: string): Html {
  const { id, title, about, gap, rows, meter } = section;
  return html`<section class="card full" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}${gapBadge(gap)}</h2>
<p class="about"><bdi>${about}</bdi></p>
${meter === undefined ? [] : drawMeter(meter)}${rows.length === 0 ? [] : table(section, currency)}
</section>
`;
}

/** Draws shares of a whole as a bar, with a line at 100%. */
function drawMeter({ used, forecast, label }: NonNullable<Section["meter"]>): Html {
  const scale = 100 / Math.max(1, forecast, used);
  const round = (value: number): number => Math.round(value * scale * 100) / 100;
  return html`<svg class="meter" role="img" aria-label="${label}" viewBox="0 0 100 3" preserveAspectRatio="none"><rect width="100" height="3" fill="var(--line)"/><rect width="${round(forecast)}" height="3" fill="var(--level-3)"/><rect width="${round(used)}" height="3" fill="var(--level-1)"/><rect x="${round(1) - 0.3}" width="0.3" height="3" fill="var(--ink)"/></svg>`;
}

function table({ title, columns, rows }: Section, currency: string): Html {
  const heads = columns.map((column) => html`<th scope="col" class="${alignment(column)}">${column.title}</th>`);
  const body = rows.map((cells) => {
    const [first, ...others] = columns.map((column, index) => ({ column, cell: cells[index] }));
    const rest = others.map(({ column, cell }) => dataCell(cell, column, currency));
    return html`<tr><th scope="row"><bdi>${first ? formatCell(first.cell, first.column, currency) : ""}</bdi></th>${rest}</tr>
`;
  });
  return html`<div class="scroll" role="region" aria-label="${title}, table" tabindex="0"><table class="list"><caption>${title}</caption><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function dataCell(cell: SectionCell, column: SectionColumn, currency: string): Html {
  const text = formatCell(cell, column, currency);
  const isSigned = (column.kind === "points" || column.kind === "change") && typeof cell === "number";
  return html`<td class="${alignment(column)}">${isSigned ? arrow(cell) : []}<bdi>${text}</bdi></td>`;
}

function alignment({ kind }: SectionColumn): string {
  return kind === "word" || kind === "name" ? "word" : "";
}

type Column = readonly [key: keyof UserLine | "cost", title: string];
const columns: readonly Column[] = [
  ["name", "User"],
  ["credits", "Credits"],
  ["cost", "Cost"],
  ["sessions", "Sessions"],
  ["messages", "Messages"],
  ["toolCalls", "Tool calls"],
  ["commits", "Commits"],
  ["pullRequests", "Pull requests"],
  ["model", "Model"],
  ["mode", "Autonomy"],
];

/** Renders a section of the page: the users with the most credits, as a table that can be sorted by each column. */
function usersCard(people: People, gap: string, price: Price | undefined): Html {
  const { users, active, totals, top } = people;
  const share = shareText(sum(top.map(({ credits }) => credits)), totals.credits);
  const about = `The ${countText(top.length, "users")} with the most credits used ${share} of all credits. ${numberText(active)} of ${numberText(users)} users were active.`;
  return html`<section class="card full" id="users" aria-labelledby="users-title">
<h2 id="users-title">Top users${gapBadge(gap)}</h2>
<p class="about">${users === 0 ? noneInPeriod : about}</p>
${users === 0 ? [] : usersTable(people, price)}
</section>
`;
}

function usersTable({ users, totals, top, rest }: People, price: Price | undefined): Html {
  const shown = columns.filter(([key]) => key !== "cost" || price !== undefined);
  const cost = (credits: number): number => (price ? computeCost(credits, price) : 0);
  const show = (value: number, key: Column[0]): string =>
    key === "cost" ? moneyText(value, price?.currency ?? "") : numberText(value);
  const userRow = (user: UserLine): Html => {
    const cells = shown.slice(1).map(([key]) => {
      const value = key === "cost" ? cost(user.credits) : user[key];
      if (typeof value === "string") return html`<td class="word"><bdi>${value}</bdi></td>`;
      return html`<td data-value="${value}">${show(value, key)}</td>`;
    });
    return html`<tr><th scope="row"><bdi>${user.name}</bdi></th>${cells}</tr>
`;
  };
  const sumRow = (title: string, sums: UserCounts): Html => {
    const values: Readonly<Record<string, number>> = { ...sums, cost: cost(sums.credits) };
    const cells = shown
      .slice(1)
      .map(([key]) => html`<td>${values[key] === undefined ? "" : show(values[key], key)}</td>`);
    return html`<tr><th scope="row">${title}</th>${cells}</tr>`;
  };
  return html`<div class="scroll" role="region" aria-label="Top users, table" tabindex="0">
<table class="users" data-sortable><caption>Top users; select a column title to sort by it</caption>
<thead><tr>${shown.map(headCell)}</tr></thead>
<tbody>${top.map(userRow)}</tbody>
<tfoot>${rest.users === 0 ? [] : sumRow(countText(rest.users, "other users"), rest)}${sumRow(`All ${countText(users, "users")}`, totals)}</tfoot>
</table></div>`;
}

function headCell([key, title]: Column): Html {
  const sort = key === "credits" ? "descending" : "none";
  return html`<th scope="col" aria-sort="${sort}"><button type="button">${title}</button></th>`;
}
