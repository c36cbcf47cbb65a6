import { execFileSync, spawnSync } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtCli, type CliHome, createCliHome } from "./cli-home.ts";

// Dialogues in real terminals of 24 rows: `screens/` has what is on them. `npx vitest run -u --project real` writes it anew.

let home: CliHome;
/** A server for each session: one that is told to end takes its time. */
let sessions = 0;
const socketOf = (session: number): string => `beckon-screens-${process.pid}-${session}`;
const tmux = (...args: string[]): string =>
  execFileSync("tmux", ["-L", socketOf(sessions), "-f", "/dev/null", ...args], { encoding: "utf8" });
/** The screen, without empty lines at its end; with `-e`, colours and all. */
const screen = (...flags: string[]): string => tmux("capture-pane", "-p", ...flags).trimEnd();

beforeEach(() => {
  home = createCliHome();
});
afterEach(() => {
  for (let session = 1; session <= sessions; session += 1) spawnSync("tmux", ["-L", socketOf(session), "kill-server"]);
  home.remove();
});

function start(columns: number, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  sessions += 1;
  const all = Object.entries({ HOME: home.home, BECKON_HOME: home.paths.root, TERM: "xterm-256color", ...env });
  const flags = all.flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const line = [process.execPath, builtCli, ...args].map((word) => `'${word}'`).join(" ");
  tmux("new-session", "-d", "-x", String(columns), "-y", "24", ...flags, `${line}; echo ended; sleep 60`);
}

async function shows(text: string): Promise<void> {
  await expect.poll(screen, { timeout: 20_000 }).toContain(text);
}

test.each([60, 80, 120])("config add, %i columns", async (columns) => {
  start(columns, ["config", "add", "--no-test"]);
  await shows("How should beckon reach you?");
  await expect(`${screen()}\n`).toMatchFileSnapshot(`screens/config-add-types-${columns}.txt`);
  tmux("send-keys", "-l", "ntfy");
  await shows("(1 match)");
  tmux("send-keys", "Enter");
  await shows("topic: The topic.");
  await expect(`${screen()}\n`).toMatchFileSnapshot(`screens/config-add-setting-${columns}.txt`);
  tmux("send-keys", "C-c");
  await shows("Nothing was saved.");
});

test("NO_COLOR leaves no colour in what commands print", async () => {
  home.journal({ status: "failed", kind: "failed", notifier: "team", reason: "auth: no" });
  const colour = /\u001b\[(?:3[1-7]|9[1-7])m/;
  for (const command of [["log"], ["status"], ["doctor", "--all"]]) {
    start(80, command);
    await shows("ended");
    expect(screen("-e")).toMatch(command[0] === "status" ? /\u001b\[1m/ : colour);
    start(80, command, { NO_COLOR: "1" });
    await shows("ended");
    expect(screen("-e")).not.toContain("\u001b");
  }
});
