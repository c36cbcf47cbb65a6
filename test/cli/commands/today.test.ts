import { expect, test } from "vitest";
import { sunday } from "../../board/journal.ts";
import { concern, makeAlert, writeAlerts } from "../../world/alerts.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { readOutput } from "../../world/json-output.ts";

const home = useCliHome();

const nowMs = new Date(2026, 10, 22, 23, 30).getTime();
const now = () => nowMs;
const day = 24 * 3_600_000;

test("an empty journal is reported as such", async () => {
  const { stdout, exitCode } = await home.run(["today"], { now });
  expect([exitCode, stdout]).toEqual([0, "Sunday 22 November 2026\nNo events yet today.\n"]);
});

test("--json has the figures, the shares and the waiting sessions", async () => {
  home.journal(...sunday.filter(({ at }) => Date.parse(at) <= nowMs));
  home.config({ notifiers: { desk: { type: "desktop" } } });
  writeAlerts(home, makeAlert({ concerns: [concern("n9", { atMs: nowMs - 60_000 })] }));
  const { stdout } = await home.run(["today", "--json"], { now });
  expect(readOutput("today", stdout)[0]).toMatchObject({
    ...{ day: "2026-11-22", waitedMs: 46 * 60_000, reactionMs: 600_000, calls: 3, held: 1, finished: 2, failed: 1 },
    projects: [{ name: "api" }, { name: "shop", tokens: 4_500, credits: 2 }],
    agents: [{ name: "codex" }, { name: "claude" }],
    notifiers: [
      { notifier: "desk", sent: 2, held: 1, failed: 1, error: { reason: "auth: HTTP 401", isResolved: true } },
      { notifier: "phone", sent: 1 },
    ],
    waiting: [{ id: "n9", project: "shop", waitedMs: 60_000 }],
  });
});

test("a sample event is not counted as a wait, ring or project", async () => {
  const sessionId = "beckon-install-0123456789ab";
  const at = new Date(nowMs - 60_000).toISOString();
  const line = { id: "s", at, sessionId, event: "Notification", kind: "needs-you" };
  home.journal({ ...line, status: "accepted", project: "demo" }, { ...line, status: "sent", notifier: "desk" });
  writeAlerts(home, makeAlert({ sessionId, concerns: [concern("s", { atMs: nowMs - 60_000 })] }));
  const { stdout } = await home.run(["today", "--json"], { now });
  const nothing = { calls: 0, waitedMs: 0, projects: [], agents: [], waiting: [] };
  expect(readOutput("today", stdout)[0]).toMatchObject(nothing);
  expect((await home.run(["sessions", "--line"], { now })).stdout).toBe("");
  expect((await home.run(["seen"], { now })).stdout).toBe("No session is waiting for you.\n");
});

test("figures are compared with the same weekday before, up to the same time of day", async () => {
  const weekMs = 7 * 24 * 3_600_000;
  const shifted = (at: string) => new Date(Date.parse(at) - weekMs).toISOString();
  home.journal(...sunday.map((line) => ({ ...line, at: shifted(line.at), id: `b-${line.id}` })));
  const at = new Date(nowMs - 1).toISOString();
  home.journal({ at, id: "one", status: "accepted", event: "Stop", kind: "finished" });
  const { stdout } = await home.run(["today"], { now });
  expect(stdout).toMatch(/Waiting time +0 s +usually 45 min on Sundays by now/);
  expect(stdout).toMatch(/Notifications +0 +usually 3 · 1 held a while on Sundays by now/);
  expect(stdout).toMatch(/Finished +1 +usually 2 on Sundays by now/);
});

test("agents' texts cannot reach the terminal as control sequences", async () => {
  const evil = "\u001b]0;taken\u0007shop\u001b[2J";
  const at = new Date(nowMs).toISOString();
  home.journal({ at, project: evil, event: "Stop", kind: "finished", status: "accepted" });
  const { stdout } = await home.run(["today"], { now: () => nowMs + 1 });
  expect(stdout).not.toMatch(/[\u001b\u0007]/);
  expect(stdout).toContain("shop");
});

test("yesterday, or any earlier day, is shown without the sessions that wait now", async () => {
  home.journal(...sunday);
  writeAlerts(home, makeAlert({ lastAtMs: now() + day, concerns: [concern("n", { atMs: now() + day })] }));
  const later = { now: () => now() + day };
  const [, ...today] = (await home.run(["today"], { now })).stdout.split("\n");
  const { stdout } = await home.run(["today", "yesterday"], later);
  expect(stdout).toMatch(/^Sunday 22 November 2026\n/);
  expect(stdout).not.toContain("Waiting for you");
  expect(stdout).toContain(today.find((line) => line.includes("Finished")) ?? "?");
  expect((await home.run(["today", "--day", "2026-11-22"], later)).stdout).toBe(stdout);
  const [output] = readOutput("today", (await home.run(["today", "yesterday", "--json"], later)).stdout);
  expect(output).toMatchObject({ day: "2026-11-22", waiting: [] });
});

test.each(["tomorrow", "2026-02-30", "2026-11-23", "22"])("%s is not a day that can be shown", async (word) => {
  const { exitCode, stderr } = await home.run(["today", word], { now });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`"${word}" is not a day up to today`)]);
});
