import { expect, test } from "vitest";
import { usageLimitsFile } from "../../../src/attention/usage-limits.ts";
import { readDay, readNow, type TeamView, withTrend } from "../../../src/board/board.ts";
import { renderFile, renderIcon, renderLive } from "../../../src/board/page/page.ts";
import { clockText } from "../../../src/board/page/waiting-list.ts";
import { concern, makeAlert, writeAlerts } from "../../world/alerts.ts";
import { openAsk } from "../../world/asking-agent.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { at, line, sunday } from "../journal.ts";

const home = useCliHome();

const nowMs = at("22 23:55");
function read(day = "2026-11-22") {
  const now = readNow(home.paths, nowMs);
  return [readDay(day, home.paths, now, ["desk", "chime"]), now] as const;
}

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;

const session = { person: "bob", host: "ci-7", key: "0".repeat(32), agent: "claude", project: "shop" };

test("waits of others have their names but no buttons, and do not count as the user's own", () => {
  const now = (team?: TeamView) => readNow(home.paths, nowMs, team);
  const report = readDay("2026-11-22", home.paths, now(), []);
  expect(renderLive(report, now())).not.toContain("others in the team");
  const title = `Fix it${hostile}`;
  const shared = { ...session, kind: "needs-you", title, atMs: nowMs - 60_000, isOwn: false } as const;
  const page = renderLive(report, now({ sessions: [shared], problems: ["relay.example.org cannot be reached"] }));
  expect(page).toContain("<title>beckon</title>");
  const [, part = ""] = page.split("<h3>For others in the team</h3>");
  const [team = ""] = part.split("</section>");
  const names = ["<bdi>bob</bdi>", "<bdi>ci-7</bdi>"];
  for (const text of ["relay.example.org cannot be reached", ...names, "1 min 00 s", "Fix it&quot;"])
    expect(team).toContain(text);
  expect(team).not.toMatch(/<button|<script|<img/);
  expect(renderLive(report, now({ sessions: [], problems: [] }))).toContain("No session is waiting for them.");
});

test("the latest figures of usage limits are on today's page, once there are any", () => {
  expect(renderLive(...read())).not.toContain("limit used");
  const figures = { windowMs: 7 * 86_400_000, usedPercent: 82, resetsAtMs: nowMs + 60_000, atMs: nowMs - 60_000 };
  const limit = { ...figures, agent: "codex", account: "/home/me/.codex", id: "codex", name: hostile };
  home.write(usageLimitsFile(home.paths), JSON.stringify([limit]));
  for (const render of [renderFile, renderLive]) {
    const page = render(...read());
    expect(page).toContain("82% of the 7-day limit used, resets at 23:56");
    expect(page).toContain(`data-since="${limit.atMs}">1 min 00 s</time> ago)`);
    expect(page).not.toContain(hostile);
  }
  expect(renderFile(...read("2026-11-21"))).not.toContain("limit used");
});

test("agents' texts stay text on the page and in the file", () => {
  const evil = { agent: hostile, project: hostile, sessionId: hostile, title: hostile, summary: hostile };
  home.journal(
    line("22 12:00", "evil", { ...evil, status: "accepted", kind: "finished" }),
    line("22 12:00", "evil", { ...evil, status: "failed", notifier: hostile, reason: hostile }),
  );
  const open = concern("evil2", { atMs: nowMs - 5_000, event: { message: hostile, project: hostile } });
  const session = { agent: hostile, project: hostile, host: hostile, title: hostile, sessionId: hostile };
  writeAlerts(home, makeAlert({ ...session, lastAtMs: nowMs, concerns: [open] }));
  for (const page of [renderFile(...read()), renderLive(...read())]) {
    expect(page).toContain("&lt;script&gt;alert(1)");
    expect(page).not.toContain("<script>alert");
    expect(page).not.toContain("<img");
    expect(page.match(/<script/g)?.length ?? 0).toBe(page.includes("board.js") ? 1 : 0);
  }
});

test("a request that waits for an answer is shown whole with its buttons, on the live page alone", () => {
  const concerns = ["one", "two"].map((id) => concern(id, { atMs: nowMs }));
  writeAlerts(home, makeAlert({ lastAtMs: nowMs, concerns }));
  const lines = ["Bash: npm test", `  » echo ${hostile}`];
  const asked = { ...openAsk, id: "one", lines, hash: "h1" };
  const [report, now] = read();
  const page = renderLive(report, { ...now, asks: [asked] });
  expect(page).toContain("Bash: npm test\n  » echo &quot;&gt;&lt;script&gt;");
  const bodies = [...page.matchAll(/data-act="answer" data-body="([^"]*)"/g)].map(([, body = ""]) => body);
  const buttons = bodies.map((body) => JSON.parse(body.replaceAll("&quot;", '"')));
  expect(buttons).toEqual(["deny", "allow"].map((choice) => ({ id: "one", hash: "h1", choice })));
  const careful = renderLive(report, { ...now, asks: [{ ...asked, choices: ["deny"], denyOnly: "it is too long" }] });
  expect(careful.match(/data-act="answer"/g)).toHaveLength(1);
  expect(careful).toContain("It can only be denied here: it is too long.");
  expect(renderLive(report, now)).not.toContain('data-act="answer"');
  expect(renderFile(report, { ...now, asks: [asked] })).not.toContain("npm test");
});

test("the file needs no script and no external resources", () => {
  home.journal(...sunday);
  const page = renderFile(...read());
  expect(page).not.toMatch(/<script|<form|<iframe|https?:(?!\/\/www\.w3\.org)|\son\w+=|style="/);
  expect(page).toMatch(/content="default-src &#39;none&#39;; style-src &#39;sha256-/);
  expect(page).toContain("Sunday 22 November 2026");
  expect(page).toContain('aria-label="shop: waited 15 min, worked 15 min, 2 finished, 0 failed, 1 held"');
});

test("a notifier's last error is shown with advice until messages are sent again", () => {
  home.journal(...sunday.filter(({ at: written }) => Date.parse(written) < at("22 11:00")));
  expect(renderFile(...read())).toContain("Check its address and its secret");
  home.journal(...sunday.filter(({ at: written }) => Date.parse(written) >= at("22 11:00")));
  expect(renderFile(...read())).toContain('<bdi>auth: HTTP 401</bdi><br><span class="muted">Later messages were sent');
});

test("current waits are in today's file, not in that of another day", () => {
  writeAlerts(home, makeAlert({ lastAtMs: nowMs, concerns: [concern("a", { atMs: nowMs })] }));
  expect(renderFile(...read())).toContain("Waiting for you");
  expect(renderFile(...read("2026-11-21"))).not.toContain("Waiting for you");
  expect(renderLive(...read("2026-11-21"))).toContain("Waiting for you");
});

test("the file has each event's lines, and the live page fetches them", () => {
  home.journal(...sunday);
  expect(renderFile(...read())).toContain("answered after 10 min: you typed a prompt");
  expect(renderLive(...read())).not.toContain("you typed a prompt");
});

test("the live page has no inline script or style, and links to other days", () => {
  const page = renderLive(...read());
  expect(page).not.toMatch(/style="|<style|\son\w+=|<script>/);
  expect(page).toContain('href="?day=2026-11-21"');
  expect(page).not.toContain("next-day");
  expect(renderLive(...read("2026-11-20"))).toContain('id="next-day" href="?day=2026-11-21"');
});

test("title and icon show the number of sessions with a request, and ended ones stand below", () => {
  const two = makeAlert({ lastAtMs: nowMs, concerns: ["a", "b"].map((id) => concern(id, { atMs: nowMs })) });
  const failed = concern("c", { kind: "failed", atMs: nowMs });
  writeAlerts(home, two, makeAlert({ sessionId: "s-2", lastAtMs: nowMs, concerns: [failed] }));
  expect(renderLive(...read())).toContain("<title>(1) beckon</title>");
  expect(renderLive(...read())).toContain('href="icon.svg?n=1"');
  const ids = [...renderLive(...read()).matchAll(/id="wait-(\w)"|<h3>(.*?)<\/h3>/g)].map(
    ([, id, title]) => id ?? title,
  );
  expect(ids).toEqual(["a", "b", "Ended, not seen yet", "c"]);
  const shown = [0, 3, 250].map((count) => /<text[^>]*>(\d+)</.exec(renderIcon(count))?.[1]);
  expect(shown).toEqual([undefined, "3", "99"]);
});

test("a waiting time has seconds and minutes, from an hour on hours and minutes", () => {
  const texts = [-1, 59_999, 754_000, 3_849_000, 90_000_000].map(clockText);
  expect(texts).toEqual(["0 s", "59 s", "12 min 34 s", "1 h 04 min", "25 h 00 min"]);
});

test("each figure has its last fourteen days as bars, with the values as text", () => {
  const friday = line("20 09:00", "w", { status: "accepted" });
  home.journal(friday, line("20 09:00", "w", { status: "sent", notifier: "desk" }), ...sunday);
  const [report, now] = read();
  expect(renderFile(report, now)).not.toContain('<svg class="spark"');
  const page = renderFile(withTrend(report, home.paths), now);
  const [, label = ""] = /class="tile calls">.*?aria-label="([^"]*)"/.exec(page) ?? [];
  expect(label).toMatch(/^The last 14 days: Mon 9 Nov: 0, .*Sat 21 Nov: 1, Sun 22 Nov: 4 · 1 held a while$/);
  const [spark = ""] = /class="tile calls">.*?<svg class="spark".*?<\/svg>/.exec(page) ?? [];
  expect(spark.match(/<rect/g)).toHaveLength(14);
  const bar = '<rect class="shown" x="130" y="0" width="8" height="28">';
  expect(spark).toContain(`${bar}<title>Sun 22 Nov: 4 · 1 held a while</title>`);
});

test("long numbers are short, with the exact value in the tooltip, and agents have their titles", () => {
  const facts = { status: "accepted", kind: "finished", event: "Stop" } as const;
  home.journal(line("22 12:00", "one", { ...facts, tokens: 1_058_068 }));
  home.journal(line("22 12:00", "two", { ...facts, agent: "codex", tokens: 9_876 }));
  const page = renderFile(...read());
  expect(page).toContain('data-value="1058068" title="1,058,068">1.06M</td>');
  expect(page).toContain('data-value="9876">9,876</td>');
  expect(page).toContain("<bdi>Claude Code</bdi>");
  expect(page).toContain('data-value="Codex"');
  expect(page).not.toContain("<bdi>claude</bdi>");
});

test("the live page shows the fifty most urgent of a thousand sessions and counts the others", () => {
  const alerts = Array.from({ length: 1_000 }, (_, index) => {
    const concerns = [concern(`c${index}`, { atMs: nowMs - index * 1_000 })];
    return makeAlert({ sessionId: `w-${index}`, lastAtMs: nowMs, concerns });
  });
  writeAlerts(home, ...alerts);
  const page = renderLive(...read());
  const shown = [...page.matchAll(/id="wait-(c\d+)"/g)].map(([, id]) => id);
  expect(shown).toEqual(Array.from({ length: 50 }, (_, index) => `c${999 - index}`));
  expect(page).toContain("950 more. To list all: <code>beckon sessions</code>");
  expect(page).toContain("<title>(1000) beckon</title>");
  expect(renderFile(...read())).not.toContain(" more. To list all");
});

test("events dated in the future are left out and counted", () => {
  const later = { status: "accepted", project: "later" } as const;
  home.journal(line("22 23:56:01", "a", later), line("22 23:58", "b", later));
  home.journal(line("22 23:00", "c", { status: "accepted" }));
  const page = renderLive(...read());
  expect(page).toContain("2 events are dated in the future and left out");
  expect(page).not.toContain("later");
  home.journal(line("22 23:55:30", "d", { ...later, project: "soon" }));
  expect(renderLive(...read())).toContain("soon");
});

test("a page names the product, and its figures after the day", () => {
  expect(renderLive(...read())).toMatch(/<p class="brand">.*beckon<\/p>/);
  expect(renderLive(...read())).toContain(">Today in numbers</h2>");
  expect(renderLive(...read("2026-11-20"))).toContain(">The day in numbers</h2>");
});
