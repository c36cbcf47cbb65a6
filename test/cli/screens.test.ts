import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInstall } from "../../src/cli/commands/install/install.ts";
import { runStatus } from "../../src/cli/commands/status.ts";
import { runUninstall } from "../../src/cli/commands/uninstall.ts";
import { createExec } from "../../src/io/exec.ts";
import { sunday } from "../board/journal.ts";
import { concern, makeAlert, writeAlerts } from "../world/alerts.ts";
import { makeContext, useCliHome } from "../world/cli-home.ts";
import { addProgram, hooksFor, installHealthy, printChecks } from "../world/doctor-home.ts";
import { fixDate } from "../world/fixed-date.ts";
import { installWorld, recordingLauncher } from "../world/install-world.ts";
import { localPorts } from "../world/local-ports.ts";
import { agentsSettings } from "./agents-settings.ts";

// Screens at three widths, as files in `screens/` for readers. `npx vitest run -u` rewrites them.

const home = useCliHome();
fixDate(new Date(2026, 10, 26, 12).getTime());

const widths = [60, 80, 120];
const terminal = (columns: number) => ({ columns: () => columns, write: () => {} });
const at = (second: number, minute = 50): string => new Date(2026, 10, 21, 1, minute, second).toISOString();

/** Compares a screen with its file. Only a line of a single word may be wider than the terminal. */
async function expectScreen(name: string, columns: number, text: string): Promise<void> {
  const isTooLong = (line: string): boolean => line.length > columns && line.trim().includes(" ");
  expect(text.split("\n").filter(isTooLong)).toEqual([]);
  expect(text).not.toContain("\u001b");
  await expect(text).toMatchFileSnapshot(`screens/${name}-${columns}.txt`);
}

function fillJournal(): void {
  const claude = { agent: "claude", event: "Notification", kind: "needs-you", project: "shop" };
  const droid = { agent: "droid", event: "Stop", kind: "finished", project: "tax-service" };
  const third = { at: at(3, 59), id: "01j9x2cccc", ...claude, event: "SubagentStop", kind: "info" } as const;
  const summary = "Bash: git push --force origin fix/tax";
  const refused = "rejected: https://hooks.slack.com answered 404 (no_service): the webhook was deleted";
  home.journal(
    { at: at(11), id: "01j9x2aaaa", ...claude, status: "accepted", summary },
    { at: at(11), id: "01j9x2aaaa", ...claude, status: "sent", notifier: "desk", tookMs: 41 },
    { at: at(12), id: "01j9x2bbbb", ...droid, status: "accepted", summary: "All 212 tests pass. Shall I open the PR?" },
    { at: at(14), id: "01j9x2aaaa", ...claude, status: "sent", notifier: "chime", tookMs: 1900 },
    { at: at(14), id: "01j9x2bbbb", ...droid, status: "failed", notifier: "team", reason: refused },
    { at: at(40, 52), id: "01j9x2bbbb", ...droid, status: "sent", notifier: "desk", tookMs: 38, attempt: 3 },
    { ...third, status: "accepted" },
    { ...third, status: "skipped", reason: "no route matches" },
  );
}

const slack = { type: "slack", url: "https://hooks.slack.com/canary" };

test.each(widths)("log, %i columns", async (columns) => {
  fillJournal();
  await expectScreen("log", columns, (await home.run(["log"], { terminal: terminal(columns) })).stdout);
});

test.each(widths)("sessions, %i columns", async (columns) => {
  const nowMs = Date.parse(at(0));
  const ask = (seconds: number, message: string) =>
    concern(message, { atMs: nowMs - seconds * 1_000, event: { message } });
  const push = ask(190, "Bash: git push --force-with-lease origin fix/tax-rounding && gh pr create --fill");
  const done = concern("d", { kind: "finished", atMs: nowMs - 5_000, event: { lastMessage: "All 212 tests pass." } });
  const concerns = [push, ask(12, "Write: tax.test.ts")];
  const others = { lastAtMs: nowMs - 60_000, lastEvent: "Prompt", title: "Look for the slow query" };
  writeAlerts(
    home,
    makeAlert({ title: "Round taxes like the law says", lastAtMs: nowMs, concerns }),
    makeAlert({ sessionId: "s-2", agent: "codex", project: "api", host: "devbox", lastAtMs: nowMs, concerns: [done] }),
    makeAlert({ sessionId: "s-3", agent: "droid", project: "tax-service", promptedAtMs: nowMs - 300_000, ...others }),
  );
  const screen = await home.run(["sessions"], { terminal: terminal(columns), now: () => nowMs });
  await expectScreen("sessions", columns, screen.stdout);
});

test.each(widths)("today, %i columns", async (columns) => {
  home.journal(...sunday);
  const nowMs = new Date(2026, 10, 22, 23, 55).getTime();
  const open = concern("n4", { atMs: nowMs - 300_000, event: { message: "Bash: rm -rf node_modules" } });
  writeAlerts(home, makeAlert({ title: "Fix the till", lastAtMs: nowMs, concerns: [open] }));
  const screen = await home.run(["today"], { terminal: terminal(columns), now: () => nowMs });
  await expectScreen("today", columns, screen.stdout);
});

test.each(widths)("status, %i columns", async (columns) => {
  fillJournal();
  const desk = { type: "file", path: "/tmp/messages" };
  home.config({ notifiers: { desk, team: slack, old: { type: "slack", url: "x" } } });
  for (const agent of ["claude", "droid"]) {
    const hooks = hooksFor(agent, "Notification", "Stop", "SubagentStop", "SessionEnd");
    const folder = agent === "droid" ? ".factory" : ".claude";
    home.write(join(home.home, folder, "settings.json"), JSON.stringify({ hooks }));
  }
  home.write(join(home.home, ".gemini", "settings.json"), "{}");
  home.addDeadLetter("event-0003");
  const lines: string[] = [];
  const shown = { print: (text: string) => void lines.push(text), terminal: terminal(columns) };
  const context = { ...makeContext({ ...home, environment: { ...home.environment, env: {} } }), ...shown };
  await runStatus({}, context, { ...localPorts(), exec: createExec({ PATH: "/nowhere" }, []) });
  await expectScreen("status", columns, lines.join("\n"));
});

test.each(widths)("doctor, %i columns, and no more than 24 rows", async (columns) => {
  installHealthy(home);
  home.addDeadLetter("event-0003");
  home.config({ notifiers: { team: slack, old: { type: "slack", url: "x" } } });
  for (const name of ["node", "setsid", "sh", "timeout"]) addProgram(home, name, "");
  home.write(join(home.home, ".factory", "settings.json"), "{}");
  home.journal({ notifier: "team", status: "failed", reason: "auth: https://hooks.slack.com answered 403" });
  const screen = (await printChecks(home, { all: false, columns, path: [join(home.home, "bin")] })).replace(
    /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g,
    "2026-11-21 01:50:11",
  );
  expect(screen.split("\n").length).toBeLessThanOrEqual(24);
  await expectScreen("doctor", columns, screen);
});

test.each(widths)("install and uninstall, %i columns", async (columns) => {
  const world = installWorld({ files: agentsSettings, isInteractive: true, terminal: terminal(columns) });
  const { output, packageRoot } = world;
  writeFileSync(join(packageRoot, "dist", "hooks", "hook.sh"), recordingLauncher({ status: "sent", reason: "" }));
  const environment = { ...world.context.environment, env: { PATH: "/usr/bin:/bin", HOME: world.home } };
  const context = { ...world.context, environment };
  await runInstall({}, context);
  const installed = output();
  await expectScreen("install", columns, installed.replaceAll(context.packageRoot, "/opt/beckon"));
  await runUninstall({ purge: true }, context);
  await expectScreen("uninstall", columns, output().slice(installed.length + 1));
});
