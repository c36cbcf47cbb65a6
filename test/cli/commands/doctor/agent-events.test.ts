import { cpSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtCli, type CliHome, createCliHome } from "../../../world/cli-home.ts";
import { addEvents, installHealthy, problemsIn, runChecks } from "../../../world/doctor-home.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
  installHealthy(home);
  rmSync(home.paths.journal, { recursive: true });
});
afterEach(() => home.remove());

const sample = { agent: "claude", sessionId: "beckon-install-0123", status: "sent" } as const;

test.each<[string, () => void, RegExp]>([
  [
    "an agent has never sent an event, except for the installer's sample",
    () => home.journal({ ...sample, event: "Notification" }),
    /^warn Claude Code: last event: never \| .*trusted it\. Then let the agent finish a turn and run this again\.$/,
  ],
  [
    "one of the events has never come in",
    () => {
      addEvents(home, "claude", "Stop", "Notification", "UserPromptSubmit");
      home.journal({ ...sample, event: "SessionEnd" });
    },
    /^warn .*: events seen: Prompt 20.*, Notification 20.*, Stop 20.*, SubagentStop never, SessionEnd never \| End a session.*--follow --json`\.$/,
  ],
])("a check reports that %s", async (_, make, expected) => {
  make();
  expect(problemsIn((await runChecks(home)).results)).toEqual([expect.stringMatching(expected)]);
});

test("an event that never came in is reported once the hooks are a day old", async () => {
  rmSync(join(home.home, ".claude", "settings.json"));
  cpSync(join(dirname(builtCli), "..", "templates"), join(home.paths.app, "templates"), { recursive: true });
  const env = { ...home.env, BECKON_DISABLE: "1" };
  const environment = { home: home.home, project: home.project, env, platform: process.platform };
  expect((await home.run(["install", "--agent", "claude", "--yes"], { environment })).exitCode).toBe(0);
  const folder = join(home.paths.state, "installs");
  const age = (hours: number) => {
    const then = new Date(Date.now() - hours * 3_600_000);
    for (const file of readdirSync(folder)) utimesSync(join(folder, file), then, then);
  };
  const last = async () => (await runChecks(home)).results.find(({ name }) => name === "Claude Code: last event");
  age(23);
  expect(await last()).toMatchObject({ status: "ok", detail: "none yet; the hooks were installed 23 h ago" });
  age(25);
  expect(await last()).toMatchObject({ status: "warn", detail: "never" });
});
