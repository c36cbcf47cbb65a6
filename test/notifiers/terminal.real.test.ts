import { execFileSync, spawn } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { builtCli } from "../world/cli-home.ts";
import { useHome } from "../world/use-home.ts";

const esc = "\u001b";
const payload = '{"hook_event_name":"Notification","session_id":"s1","cwd":"/home/dev/shop","message":"May I?"}';
/** In a container the title also names the machine. */
const notice = new RegExp(`${esc}\\]9;shop(@[^ ]+)? · Claude Code needs you: May I\\?${esc}\\\\`);
const noticeAndBell = new RegExp(`${notice.source}\u0007`);

/**
 * Settings with which messages are sent at once, even if the terminal seems watched; nobody looks at a test's terminal.
 */
const attention = { attention: { wait: "0s", watching: { "needs-you": "ring", finished: "ring" } } };

const home = useHome();
beforeEach(() => {
  home.writeConfig({ notifiers: { here: { type: "terminal" } }, ...attention, delivery: { linger: "1s" } });
});

/** Writes the program of an "agent" that runs the hook as agents do, and then lives on for a while. */
function agent(hook: string, seconds = 2): string {
  const file = join(home.paths.root, "agent");
  const line = `${hook} Notification --agent claude || :`;
  writeFileSync(file, `#!/bin/sh\nprintf '%s' '${payload}' | ${line}\nsleep ${seconds}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Returns the output of a real pseudo-terminal while a command ran in it. */
async function seenIn(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  const file = join(home.paths.root, "typescript");
  const { TMUX: _, STY: __, ...clean } = home.env;
  const child = spawn("script", ["-qec", command, file], { env: { ...clean, ...env }, stdio: "ignore" });
  await new Promise((resolve) => child.on("close", resolve));
  return readFileSync(file, "utf8");
}

const sent = () =>
  home.until((journal) => journal.some(({ notifier, status }) => notifier === "here" && status === "sent"));

test("a notification reaches the agent's terminal, and its bell rings", async () => {
  const seen = await seenIn(agent(home.paths.launcher), { TERM: "xterm", TERM_PROGRAM: "WezTerm" });
  await sent();
  expect(seen).toMatch(noticeAndBell);
});

test("a notification arrives from a hook that the agent started in a new session", async () => {
  const seen = await seenIn(agent(`setsid sh -c '${home.paths.launcher} "$@" || :' hook`), { TERM_PROGRAM: "WezTerm" });
  await sent();
  expect(seen).toMatch(notice);
});

test("a notification in kitty is closed once the user has answered", async () => {
  const file = join(home.paths.root, "agent");
  const hook = (name: string, message: string) =>
    `printf '%s' '${message}' | ${home.paths.launcher} ${name} --agent claude`;
  const prompt = '{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"/home/dev/shop","prompt":"Yes."}';
  const sentLine = `until grep -q '"sent"' ${home.paths.journal}/*; do sleep 0.1; done`;
  const done = `until grep -q '"withdrawn"' ${home.paths.journal}/*; do sleep 0.1; done`;
  const steps = [hook("Notification", payload), sentLine, hook("Prompt", prompt), done];
  writeFileSync(file, `#!/bin/sh\n${steps.join("\n")}\n`);
  chmodSync(file, 0o755);
  const seen = await seenIn(`timeout 20 ${file}`, { TERM: "xterm-kitty" });
  const [, id] = /\]99;i=([0-9a-f]{32}-\w+):e=1:u=2:d=0:p=title;/.exec(seen) ?? [];
  expect(id).toBeDefined();
  expect(seen).toContain(`${esc}]99;i=${id}:p=close;${esc}\\`);
});

test("a terminal without notifications only rings", async () => {
  const seen = await seenIn(agent(home.paths.launcher), { TERM: "xterm", TERM_PROGRAM: "" });
  await sent();
  expect(seen).toContain("\u0007");
  expect(seen).not.toContain("May I?");
});

test("a terminal without notifications that may not ring is skipped, with the reason", async () => {
  home.writeConfig({
    notifiers: { here: { type: "terminal", bell: false } },
    ...attention,
    delivery: { linger: "1s" },
  });
  await seenIn(agent(home.paths.launcher), { TERM: "xterm", TERM_PROGRAM: "" });
  const journal = await home.until((lines) => lines.some(({ notifier }) => notifier === "here"));
  const line = { status: "skipped", reason: expect.stringContaining("`bell` is off") };
  expect(journal.filter(({ notifier }) => notifier === "here")).toEqual([expect.objectContaining(line)]);
});

test("a notification gets through tmux to the terminal outside", async () => {
  const socket = join(home.paths.root, "tmux");
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { env: home.env });
  const command = agent(home.paths.launcher, 3);
  home.writeConfig({
    notifiers: { here: { type: "terminal", protocol: "osc9" } },
    ...attention,
    delivery: { linger: "1s" },
  });
  const run = `tmux -S ${socket} -f /dev/null new-session -s one 'tmux -S ${socket} set -g allow-passthrough on; ${command}'`;
  const seen = await seenIn(run, { TERM: "xterm-256color" });
  await sent();
  expect(seen).toMatch(notice);
  expect(() => tmux("kill-server")).toThrow(); // ended with its only session
});

test("`beckon test` reaches the terminal it runs in", async () => {
  const env = { TERM: "xterm", TERM_PROGRAM: "WezTerm", NO_COLOR: "1" };
  const seen = await seenIn(`${process.execPath} ${builtCli} test here`, env);
  expect(seen).toContain(`${esc}]9;beckon needs you: Sample: When an agent needs you`);
  expect(seen).toMatch(/here +sent/);
});

test("an agent without a terminal is skipped, with the reason", async () => {
  await home.launch(["Notification", "--agent", "claude"], payload, {});
  const lines = await home.until((journal) => journal.some(({ notifier }) => notifier === "here"));
  // A terminal of the tester would count otherwise.
  if (process.stdin.isTTY || process.stdout.isTTY) return;
  expect(lines.find(({ notifier }) => notifier === "here")).toMatchObject({
    status: "skipped",
    reason: expect.stringContaining("no terminal"),
  });
});
