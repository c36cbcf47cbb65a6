import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolvePaths } from "../src/files/paths.ts";
import { readJournal } from "../src/journal/read-journal.ts";
import { type AudioSink, startAudioSink } from "./world/audio-sink.ts";
import { eventually } from "./world/background.ts";
import { type DesktopSession, startDesktopSession } from "./world/desktop-session.ts";
import { dist, removeRoot, run } from "./world/home.ts";

/**
 * Home for the whole path: `beckon install`, the command that it wrote into the agent's settings, a real desktop, a
 * real sound.
 */
let home: string;
let desktop: DesktopSession;
let audio: AudioSink;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  home = mkdtempSync(join(realpathSync(tmpdir()), "beckon-installed-"));
  mkdirSync(join(home, ".claude"));
  [desktop, audio] = await Promise.all([startDesktopSession(), startAudioSink()]);
  const { PATH } = process.env;
  env = { ...audio.env, ...desktop.env, XDG_RUNTIME_DIR: audio.env["XDG_RUNTIME_DIR"], PATH, HOME: home };
  execFileSync(process.execPath, [join(dist, "cli.js"), "install", "--agent", "claude", "--yes"], { env, cwd: home });
}, 60_000);

afterAll(async () => {
  await Promise.all([desktop?.stop(), audio?.stop()]);
  await removeRoot(join(home, ".beckon"), home);
});

/** Runs the command of an event in Claude Code's settings, as Claude Code does. */
function fire(event: string, payload: object) {
  const settings = JSON.parse(readFileSync(join(home, ".claude", "settings.json"), "utf8"));
  const { command } = settings.hooks[event][0].hooks[0] as { command: string };
  const input = JSON.stringify({ hook_event_name: event, session_id: `s-${event}`, cwd: "/home/dev/shop", ...payload });
  return run("sh", ["-c", command], input, { env });
}

const settled = (sessionId: string) =>
  eventually(`what was delivered for ${sessionId}`, async () => {
    const lines = readJournal(resolvePaths(join(home, ".beckon")).journal, 1).filter(
      (line) => line.sessionId === sessionId,
    );
    const ends = lines.filter(({ notifier, status }) => notifier !== undefined && status !== "held");
    return ends.length >= 2 ? lines : undefined;
  });

test("the installed hook shows a notification and sounds", async () => {
  const level = await audio.recordWhile(async () => {
    const result = await fire("Notification", { message: "Claude needs your permission <b>now</b> & $(later)" });
    expect(result).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
    const lines = await settled("s-Notification");
    expect(lines.map(({ status, notifier }) => `${status} ${notifier ?? ""}`.trim())).toEqual(
      expect.arrayContaining(["accepted", "sent desk", "sent chime"]),
    );
  });
  expect(level.rms).toBeGreaterThan(0.005);
  expect((await desktop.history()).at(-1)).toMatchObject({
    appname: "beckon",
    summary: expect.stringMatching(/^shop(@\S+)? · Claude Code needs you$/),
    body: "Claude needs your permission <b>now</b> & $(later)",
    urgency: "critical",
  });
});

test("a turn's end shows the result", async () => {
  await fire("Stop", { last_assistant_message: "All done: the file was reviewed. Nothing else to do." });
  await settled("s-Stop");
  expect((await desktop.history()).at(-1)).toMatchObject({
    summary: expect.stringMatching(/^shop(@\S+)? · Claude Code is done$/),
    body: "All done: the file was reviewed.",
  });
});
