import { type Html, html } from "../../text/html.ts";
import { counted, moneyText, numberText, shareText } from "../format.ts";
import type { People, UserLine } from "../people.ts";
import type { UserCounts } from "../people-tally.ts";
import { noneInPeriod } from "../plot.ts";
import type { Price } from "../report.ts";
import { computeCost } from "../section.ts";
import { sum } from "../series.ts";
import { gapBadge } from "./figure-cards.ts";

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
export function usersCard({ users, active, totals, top, rest }: People, gap: string, price?: Price): Html {
  const share = shareText(sum(top.map(({ credits }) => credits)), totals.credits);
  const about = `The ${counted(top.length, "users")} with the most credits used ${share} of all credits. ${numberText(active)} of ${numberText(users)} users were active.`;
  return html`<section class="card full" id="users" aria-labelledby="users-title">
<h2 id="users-title">Top users${gapBadge(gap)}</h2>
<p class="about">${users === 0 ? noneInPeriod : about}</p>
${users === 0 ? [] : usersTable({ users, totals, top, rest }, price)}
</section>
`;
}

function usersTable(
  { users, totals, top, rest }: Pick<People, "users" | "totals" | "top" | "rest">,
  price: Price | undefined,
): Html {
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
<tfoot>${rest.users === 0 ? [] : sumRow(counted(rest.users, "other users"), rest)}${sumRow(`All ${counted(users, "users")}`, totals)}</tfoot>
</table></div>`;
}

function headCell([key, title]: Column): Html {
  const sort = key === "credits" ? "descending" : "none";
  return html`<th scope="col" aria-sort="${sort}"><button type="button">${title}</button></th>`;
}
