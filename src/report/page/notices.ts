import { type Html, html } from "../../text/html.ts";
import { gapsOf } from "../gaps.ts";
import { isComplete, partTitles, type UsageReport } from "../report.ts";

/**
 * A notice on top of the page that names everything the report lacks, and why; nothing for a report that lacks nothing.
 */
export function notices(report: UsageReport): Html {
  const gaps = gapsOf(report);
  if (gaps.length === 0) return html``;
  const title = isComplete(report) ? "About this report" : "This report is not complete";
  const lines = gaps.map(({ part, isBefore, text, hint = "" }) => {
    const subject = `${partTitles[part]}${isBefore ? ", period before" : ""}`;
    return html`<li><strong>${subject}</strong>: <bdi>${text}</bdi>. <bdi>${hint}</bdi></li>`;
  });
  return html`<aside class="notice" aria-label="${title}"><h2>${title}</h2><ul>${lines}</ul></aside>`;
}
