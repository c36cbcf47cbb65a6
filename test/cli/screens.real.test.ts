import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { builtCli, useCliHome } from "../world/cli-home.ts";
import { agentsSettings } from "./agents-settings.ts";

// Dialogs in real terminals of 24 rows, compared with `screens/`. `npx vitest run -u --project real` rewrites it.

const home = useCliHome();
/** Number of sessions so far. Each has its own tmux server, because a stopping server takes its time. */
let sessions = 0;
const nameSocket = (session: number): string => `beckon-screens-${process.pid}-${session}`;
const tmux = (...args: string[]): string =>
  execFileSync("tmux", ["-L", nameSocket(sessions), "-f", "/dev/null", ...args], { encoding: "utf8" });
/** Reads the screen, without empty lines at its end; with `-e`, including colours. */
const screen = (...flags: string[]): string => tmux("capture-pane", "-p", ...flags).trimEnd();

afterEach(() => {
  for (let session = 1; session <= sessions; session += 1)
    spawnSync("tmux", ["-L", nameSocket(session), "kill-server"]);
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
  await shows("How should beckon notify you?");
  await expect(`${screen()}\n`).toMatchFileSnapshot(`screens/config-add-types-${columns}.txt`);
  tmux("send-keys", "-l", "ntfy");
  await shows("(1 match)");
  tmux("send-keys", "Enter");
  await shows("topic: Name of the topic");
  const setting = screen().replace(/beckon-[a-z2-9]{12}/, "beckon-7q3xkp2mznw4");
  await expect(`${setting}\n`).toMatchFileSnapshot(`screens/config-add-setting-${columns}.txt`);
  tmux("send-keys", "C-c");
  await shows("Nothing was saved.");
});

test("install without agents fits a terminal of 80 by 24 cells, and says in two lines what to do", async () => {
  start(80, ["install"], { PATH: "/usr/bin:/bin" });
  await shows("Show notifications in");
  tmux("send-keys", "n");
  await shows("ended");
  expect(screen()).toMatch(/^beckon \S+ is in ~\/\.beckon\n/);
  const advice = "No agent has been used here yet. Use one first, or name one now:";
  expect(screen()).toContain(`\n${advice}\n  ~/.beckon/app/dist/cli.js install [--agent NAME]\n\n`);
});

test.each([60, 80, 120])("the code for the phone, %i columns", async (columns) => {
  start(columns, ["config", "add", "ntfy", "--set", "topic=beckon-7q3xkp2mznw4", "--no-test", "--force"], {
    NO_COLOR: "1",
  });
  await shows("Which optional settings");
  tmux("send-keys", "Enter");
  await shows("This server is public.");
  await expect(`${screen()}\n`).toMatchFileSnapshot(`screens/config-add-detail-${columns}.txt`);
  tmux("send-keys", "Enter");
  await shows("Which events should this notifier report?");
  tmux("send-keys", "Enter");
  await shows("When should this notifier be used?");
  tmux("send-keys", "Enter");
  await shows("ended");
  expect(screen().replace(/\s+/g, " ")).toContain("beckon-7q3xkp2mznw4 Or open this address");
  const code = screen()
    .split("\n")
    .filter((line) => /^[ █▀▄]{30,}$/.test(line));
  await expect(`${code.join("\n")}\n`).toMatchFileSnapshot("screens/config-add-code.txt");
});

test.each([60, 80, 120])("install and uninstall, %i columns: problems are on the screen that asks", async (columns) => {
  addAgents();
  start(columns, ["install"], { PATH: "/usr/bin:/bin" });
  await shows("Enter: confirm");
  expect(screen()).toContain("Qwen Code is not available");
  await expect(`${screen()}\n`).toMatchFileSnapshot(`screens/install-agents-${columns}.txt`);
  tmux("send-keys", "Enter");
  await shows("Show the diff");
  expect(screen()).toContain("disableAllHooks");
  await expect(`${screen()}\n`).toMatchFileSnapshot(`screens/install-question-${columns}.txt`);
  tmux("send-keys", "y");
  await shows("command yet. Link it in");
  tmux("send-keys", "n");
  await shows("Show notifications in"); // only this one works in a tmux without a desktop
  tmux("send-keys", "n");
  await shows("Get notifications on your phone too?");
  tmux("send-keys", "n");
  await shows("ended");
  start(columns, ["uninstall"]);
  await shows("Show the diff");
  await expect(`${screen()}\n`).toMatchFileSnapshot(`screens/uninstall-question-${columns}.txt`);
  tmux("send-keys", "n");
  await shows("ended");
});

/** Each command with its screen after it has ended or when it waits for an answer. */
const commands: readonly (readonly [string, ...string[]])[] = [
  ["ended", "log"],
  ["ended", "status"],
  ["ended", "doctor", "--all"],
  ["Enter: confirm", "install"],
  ["How should beckon notify you?", "config", "add", "--no-test"],
  ["Show the diff", "uninstall"],
];

test.each(commands)("NO_COLOR leaves no colour: waits for %j, %s", async (shown, ...command) => {
  addAgents();
  home.journal({ status: "failed", kind: "failed", notifier: "team", reason: "auth: no" });
  const env = { PATH: "/usr/bin:/bin" };
  if (command[0] === "uninstall") await home.start(["install", "--agent", "droid", "--yes"], env);
  start(80, command, env);
  await shows(shown);
  expect(screen("-e")).toContain("\u001b");
  start(80, command, { ...env, NO_COLOR: "1" });
  await shows(shown);
  expect(screen("-e")).not.toContain("\u001b");
});

function addAgents(): void {
  for (const [path, text] of Object.entries(agentsSettings)) home.write(join(home.home, path), text);
}
