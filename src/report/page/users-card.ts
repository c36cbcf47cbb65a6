import { type Html, html } from "../../text/html.ts";
import { counted, numberText, shareText } from "../format.ts";
import type { People, UserLine } from "../people.ts";
import type { UserCounts } from "../people-tally.ts";
import { noneInPeriod } from "../plots.ts";
import { sum } from "../series.ts";
import { gapBadge } from "./figure-cards.ts";

const columns = [
  ["name", "User"],
  ["credits", "Credits"],
  ["sessions", "Sessions"],
  ["messages", "Messages"],
  ["toolCalls", "Tool calls"],
  ["commits", "Commits"],
  ["pullRequests", "Pull requests"],
  ["model", "Model"],
  ["mode", "Autonomy"],
] as const satisfies [keyof UserLine, string][];

/** Renders a section of the page: the users with the most credits, as a table that can be sorted by each column. */
export function usersCard({ users, active, totals, top, rest }: People, gap: string): Html {
  const share = shareText(sum(top.map(({ credits }) => credits)), totals.credits);
  const about = `The ${counted(top.length, "users")} with the most credits used ${share} of all credits. ${numberText(active)} of ${numberText(users)} users were active.`;
  return html`<section class="card full" id="users" aria-labelledby="users-title">
<h2 id="users-title">Top users${gapBadge(gap)}</h2>
<p class="about">${users === 0 ? noneInPeriod : about}</p>
${users === 0 ? [] : usersTable({ users, totals, top, rest })}
</section>
`;
}

function usersTable({ users, totals, top, rest }: Pick<People, "users" | "totals" | "top" | "rest">): Html {
  return html`<div class="scroll" role="region" aria-label="Top users, table" tabindex="0">
<table class="users" data-sortable><caption>Top users; select a column title to sort by it</caption>
<thead><tr>${columns.map(headCell)}</tr></thead>
<tbody>${top.map(userRow)}</tbody>
<tfoot>${rest.users === 0 ? [] : sumRow(counted(rest.users, "other users"), rest)}${sumRow(`All ${counted(users, "users")}`, totals)}</tfoot>
</table></div>`;
}

function headCell([key, title]: (typeof columns)[number]): Html {
  const sort = key === "credits" ? "descending" : "none";
  return html`<th scope="col" aria-sort="${sort}"><button type="button">${title}</button></th>`;
}

function userRow(user: UserLine): Html {
  const cells = columns.slice(1).map(([key]) => {
    const value = user[key];
    if (typeof value === "string") return html`<td class="word"><bdi>${value}</bdi></td>`;
    return html`<td data-value="${value}">${numberText(value)}</td>`;
  });
  return html`<tr><th scope="row"><bdi>${user.name}</bdi></th>${cells}</tr>
`;
}

function sumRow(title: string, sums: UserCounts): Html {
  const cells = columns
    .slice(1)
    .map(([key]) => html`<td>${key in sums ? numberText(sums[key as keyof UserCounts]) : ""}</td>`);
  return html`<tr><th scope="row">${title}</th>${cells}</tr>`;
}
