import { utimesSync } from "node:fs";
import { expect, test } from "vitest";
import { concern, makeAlert, writeAlerts } from "../../world/alerts.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { fixDate } from "../../world/fixed-date.ts";

const home = useCliHome();
fixDate(new Date(2026, 10, 21, 5).getTime());

const at = (second: number): string => new Date(2026, 10, 21, 4, 52, second).toISOString();
const about = { id: "event-0001", event: "Notification", agent: "claude", kind: "needs-you", project: "shop" };
const line = (status: "accepted" | "held" | "sent" | "resolved", second: number, others = {}) =>
  ({ ...about, sessionId: "s-1", at: at(second), status, ...others }) as const;
const why = async (id: string, columns = 120) =>
  home.run(["why", id], { terminal: { columns: () => columns, write: () => {} } });

const notifiers = { desk: { type: "desktop" }, phone: { type: "ntfy", topic: "t" } };
function configure(routes: readonly object[], changedAt: string): void {
  home.config({ notifiers, routes });
  utimesSync(home.paths.config, new Date(changedAt), new Date(changedAt));
}

test("the story of an event has its routes with reasons and each notifier's action, in order", async () => {
  configure(
    [
      { to: ["desk"] },
      { kinds: ["needs-you"], when: "away", after: "5m", repeat: { every: "10m", times: 2 }, to: ["phone"] },
      { kinds: ["failed"], to: ["phone"] },
      { agents: ["codex"], to: ["phone"] },
      { on: ["Stop"], to: ["phone"] },
      { projects: ["/home/me/api/**"], to: ["phone"] },
    ],
    at(0),
  );
  const event = { cwd: "/home/me/shop", reason: "x" };
  writeAlerts(home, makeAlert({ concerns: [concern("event-0001", { event })] }));
  home.journal(
    line("accepted", 1, { summary: "Bash: git push", title: "Round taxes" }),
    line("held", 1, { notifier: "desk", until: at(3), reason: "in case you answer first" }),
    line("held", 1, { notifier: "phone", step: 1, until: at(31), reason: "for a later step, if still open" }),
    line("sent", 3, { notifier: "desk", tookMs: 41 }),
    line("resolved", 13, { resolvedBy: "prompt", waitedMs: 12_000 }),
  );
  const { exitCode, stdout } = await why("event-00");
  expect(exitCode).toBe(0);
  expect(stdout.split("\n").map((text) => text.trim().replace(/ {2,}/g, " | "))).toEqual([
    "event-0001",
    "event | Notification",
    "kind | needs-you",
    "agent | claude",
    "project | shop",
    "session | s-1",
    "title | Round taxes",
    "said | Bash: git push",
    "received | 2026-11-21 04:52:01",
    "Current routes",
    "1 | desk | matches",
    "2 | phone | matches, while you are away, after 5 min if still open, again every 10 min, 2 times",
    "3 | phone | does not match: its `kinds` have no needs-you",
    "4 | phone | does not match: its `agents` have no claude",
    "5 | phone | does not match: its `on` has no Notification",
    "6 | phone | does not match: the folder is in none of its `projects`",
    "What happened",
    "04:52:01 | accepted",
    "04:52:01 | held | desk | until 04:52:03: in case you answer first",
    "04:52:01 | held | phone, step 1 | until 04:52:31: for a later step, if still open",
    "04:52:03 | sent | desk | 41 ms",
    "04:52:13 | resolved | answered after 12 s: you typed a prompt",
    "",
  ]);
});

test("forgotten facts are not judged, and a configuration changed since is mentioned", async () => {
  configure([{ projects: ["/home/me/api/**"], to: ["phone"] }], at(59));
  home.journal(line("accepted", 1));
  const { stdout } = await why("event-0001");
  expect(stdout).toContain("Current routes (the configuration has changed since the event)");
  expect(stdout).toContain("matches, if folder, reason and duration of the turn match, which are no longer known");
});

test.each([60, 80])("hostile texts stay text, and lines fit %i columns", async (columns) => {
  const hostile = "\u001b[2J\u202eevil\u0007 and so on and on, with a reason that takes more than one line to be told";
  home.journal(line("accepted", 1, { project: hostile, summary: hostile }), line("sent", 2, { reason: hostile }));
  const { stdout } = await why("event-0001", columns);
  expect(stdout).not.toMatch(/[\u001b\u202e\u0007]/);
  expect(stdout.split("\n").filter((text) => text.length > columns)).toEqual([]);
});

test.each([
  { id: "nowhere", says: /no event nowhere\n.*beckon log/ },
  { id: "", says: /no event/ },
  { id: "event-000", says: /matches 3 events\n.*event-0001, event-0002, event-0001-b/ },
])("an id of no event, or of several, is an error: $id", async ({ id, says }) => {
  home.journal(
    line("accepted", 1),
    line("accepted", 2, { id: "event-0002" }),
    line("accepted", 3, { id: "event-0001-b" }),
  );
  expect(await why(id)).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(says) });
  expect((await why("event-0001")).exitCode).toBe(0);
});

test("without an id it shows the event that came last, not the one with the newest line", async () => {
  home.journal(line("accepted", 1), line("accepted", 5, { id: "event-0002" }), line("resolved", 13));
  expect((await home.run(["why"])).stdout).toMatch(/^event-0002\n/);
});

test("Tab completes the newest events", async () => {
  home.journal(line("accepted", 1), line("sent", 2), line("accepted", 3, { id: "later-0002", kind: "failed" }));
  const { stdout } = await home.run(["completion", "words", "--", "why", ""]);
  expect(stdout).toBe("later-00\tfailed shop\nevent-00\tneeds-you shop\n");
});
