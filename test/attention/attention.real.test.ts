import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentTerminals, agentTerminals } from "../world/agent-terminals.ts";
import { type DesktopSession, startDesktopSession } from "../world/desktop-session.ts";
import { createHome, type Home, sleep } from "../world/home.ts";

let session: DesktopSession;
let world: AgentTerminals;
let home: Home;
let tmux: (...args: string[]) => Promise<string>;
let attach: string[];
beforeAll(async () => {
  session = await startDesktopSession();
  world = agentTerminals({ ...session.env, TERM: "xterm-256color" });
  await world.startWindowManager();
  home = createHome();
  home.writeConfig({
    notifiers: { desk: { type: "desktop" } },
    attention: { watching: { "needs-you": "20s" } },
    delivery: { linger: "1s" },
  });
  const base = ["-S", join(world.folder, "tmux"), "-f", "/dev/null"];
  tmux = (...args) => world.run("tmux", [...base, ...args]);
  attach = ["tmux", ...base, "attach", "-t", "one"];
  await tmux("new-session", "-d", "-s", "one", "-n", "agents", ...world.buildCommand("agent", agentScript()));
  await tmux("split-window", "-d", "-t", "one", "sleep 600");
});
afterAll(async () => {
  await tmux?.("kill-server").catch(() => {});
  await home?.remove();
  await world?.stop();
  await session?.stop();
});

const transcript = () => join(world.folder, "transcript.jsonl");
const goFile = () => join(world.folder, "go");

/**
 * A program that acts like an agent: on a signal it runs its permission hook through a shell and waits for a key, then
 * the result is in the transcript.
 */
function agentScript(): string {
  const payload = JSON.stringify({
    hook_event_name: "PermissionRequest",
    session_id: "shop",
    cwd: "/home/me/shop",
    transcript_path: transcript(),
    tool_name: "Bash",
    tool_input: { command: "npm test" },
  });
  writeFileSync(join(world.folder, "payload.json"), payload);
  writeFileSync(
    join(world.folder, "agent.sh"),
    `round=0
while :; do
  while [ ! -e ${goFile()} ]; do sleep 0.05; done
  rm ${goFile()}; round=$((round + 1))
  printf '{"type":"assistant","timestamp":"%s","message":{"id":"m%s","content":[{"type":"tool_use","id":"call%s","name":"Bash","input":{"command":"npm test"}}]}}\\n' \\
    "$(date -u +%FT%TZ)" $round $round >>${transcript()}
  BECKON_HOME=${home.paths.root} sh -c '${home.paths.launcher} PermissionRequest --agent claude || :' <${world.folder}/payload.json
  read -r answer
  printf '{"type":"user","timestamp":"%s","message":{"content":[{"type":"tool_result","tool_use_id":"call%s","content":"ok"}]}}\\n' \\
    "$(date -u +%FT%TZ)" $round >>${transcript()}
done
`,
  );
  writeFileSync(transcript(), '{"type":"user","timestamp":"2026-11-20T12:00:00Z","message":{"content":"go"}}\n');
  rmSync(goFile(), { force: true });
  return `exec sh ${join(world.folder, "agent.sh")}`;
}

/** Has the agent ask, and waits until the journal has the request. */
async function ask(): Promise<string> {
  const before = home.journal().filter(({ status }) => status === "accepted").length;
  writeFileSync(goFile(), "");
  const lines = await home.until((all) => all.filter(({ status }) => status === "accepted").length > before, 30_000);
  expect(existsSync(goFile())).toBe(false);
  return lines.findLast(({ status }) => status === "accepted")?.id ?? "";
}

const answer = () => tmux("send-keys", "-t", "one:agents.0", "y", "Enter");
const findLine = (id: string, wanted: string) =>
  home.journal().find((line) => line.id === id && line.status === wanted);
const readMoment = (id: string, status: string) => Date.parse(findLine(id, status)?.at ?? "");

test("a request rings on the desktop after the wait and is gone within a second of the answer", async () => {
  const tookMs: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const id = await ask();
    await home.until(() => findLine(id, "sent") !== undefined, 30_000);
    expect(readMoment(id, "sent")).toBeGreaterThanOrEqual(Date.parse(findLine(id, "held")?.until ?? ""));
    expect(await session.displayed()).toBe(1);
    await sleep(2_500); // past the request's own line in the transcript
    await answer();
    await home.until(() => findLine(id, "withdrawn") !== undefined, 30_000);
    expect(await session.displayed()).toBe(0);
    expect(findLine(id, "resolved")?.resolvedBy).toBe("result");
    tookMs.push(readMoment(id, "withdrawn") - statSync(transcript()).mtimeMs);
  }
  expect(Math.min(...tookMs), `ms: ${tookMs.join(", ")}`).toBeLessThan(1_000);
}, 120_000);

test("a request of the visible pane does not ring, and that of another pane does", async () => {
  world.start("xterm", ["-T", "seat", "-e", ...attach]);
  await world.raise("seat");
  await world.until("agent", ({ isFocused }) => isFocused === true);
  const watched = await ask();
  await home.until((lines) =>
    lines.some(({ id, reason }) => id === watched && reason === "you were looking at that terminal"),
  );
  expect(await session.displayed()).toBe(0);
  await answer();
  await home.until(() => findLine(watched, "resolved") !== undefined, 30_000);
  expect(findLine(watched, "sent")).toBeUndefined();

  await tmux("select-pane", "-t", "one:agents.1");
  await world.until("agent", ({ isFocused }) => isFocused === false);
  await sleep(15_000); // a recent key press would mean that the user is still there
  const unwatched = await ask();
  await home.until(() => findLine(unwatched, "sent") !== undefined, 30_000);
  expect(await session.displayed()).toBe(1);
  await answer();
  await home.until(() => findLine(unwatched, "withdrawn") !== undefined, 30_000);
  expect(await session.displayed()).toBe(0);
}, 180_000);

test("a click on the notification raises the agent's window and pane", async () => {
  await tmux("select-pane", "-t", "one:agents.1");
  world.start("xterm", ["-T", "other"]);
  await world.raise("other");
  await sleep(15_000); // as above
  const id = await ask();
  await home.until(() => findLine(id, "sent") !== undefined, 30_000);
  await world.run("dunstctl", ["action", "0"]);
  const activePane = async () => (await tmux("display-message", "-p", "-t", "one:agents", "#{pane_index}")).trim();
  await expect.poll(activePane, { timeout: 15_000 }).toBe("0");
  const activeTitle = async () => (await world.run("xdotool", ["getactivewindow", "getwindowname"])).trim();
  await expect.poll(activeTitle, { timeout: 15_000 }).toBe("seat");
  await answer();
  await home.until(() => findLine(id, "withdrawn") !== undefined, 30_000);
  expect(await session.displayed()).toBe(0);
}, 120_000);
