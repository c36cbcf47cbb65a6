import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { claudeTranscript } from "../../src/agents/claude.ts";
import type { Alert } from "../../src/attention/alert.ts";
import { findProcess } from "../../src/files/process-table.ts";
import { readActivity } from "../../src/lookups/session-state.ts";
import { makeAlert } from "../world/alerts.ts";
import { AttentionWorld, type Session } from "../world/attention-world.ts";
import { startMs } from "../world/delivery-world.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { readAllJournal } from "../world/home.ts";
import { ClaudeTranscript } from "../world/transcript.ts";

/** Session whose agent's process is this one. */
const shop: Session = { agent: "claude", id: "shop", pid: process.pid, processes: [process.pid] };
const startTicks = findProcess(process.pid)?.startTicks ?? "";

let world: AttentionWorld;
let transcript: ClaudeTranscript;
let file: string;
beforeEach(() => start());

async function start(attention: object = {}): Promise<void> {
  world = new AttentionWorld();
  await world.start({ routes: [{ kinds: ["needs-you"], to: ["desk"] }], attention, lookups: ["transcript"] });
  const folder = freshFolder();
  mkdirSync(join(folder, "projects", "shop"), { recursive: true });
  mkdirSync(join(folder, "sessions"));
  file = join(folder, "sessions", `${process.pid}.json`);
  transcript = new ClaudeTranscript(world, join(folder, "projects", "shop", "shop.jsonl"));
  transcript.user("go");
}

/** Writes the agent's state file. */
function say(status: string, more: object = {}): void {
  const owner = { pid: process.pid, sessionId: "shop", procStart: startTicks, version: "2.1.332", entrypoint: "cli" };
  const state = { status, statusUpdatedAt: world.nowMs, updatedAt: world.nowMs };
  writeFileSync(file, JSON.stringify({ ...owner, ...state, ...more }));
}

function ask(id = "t1", command = "npm publish"): void {
  transcript.calls({ [id]: ["Bash", { command }] });
  const request = { tool_name: "Bash", tool_input: { command } };
  world.fire(shop, "PermissionRequest", { ...request, transcript_path: transcript.path });
}

const until = (seconds: number) => world.workUntil(startMs + seconds * 1000);
const verbs = () => world.calls.map(({ verb }) => verb);
const resolutions = () => readAllJournal(join(world.root, "journal")).flatMap(({ resolvedBy }) => resolvedBy ?? []);

/** Asks, and changes the state file while the request waits: waiting after 3 s, the other status after 10 s. */
async function playChange(then = () => say("busy"), waiting = () => say("waiting")): Promise<void> {
  ask();
  await until(3);
  waiting();
  await until(10);
  then();
  await until(20);
}

describe("a request", () => {
  test.each(["busy", "idle"])("is resolved once its agent waited for the user and is %s", async (status) => {
    await playChange(
      () => say(status),
      () => say("waiting", { waitingFor: "permission prompt" }),
    );
    expect(verbs()).toEqual(["ring", "withdraw"]);
    expect(resolutions()).toEqual(["answered"]);
  });

  test("that is answered before its wait ends rings nobody", async () => {
    say("busy");
    ask();
    await until(0.5);
    say("waiting");
    await until(1);
    say("busy");
    await until(20);
    expect(verbs()).toEqual([]);
  });

  const other = (more: object) => () => say("busy", more);
  test.each<[string, () => void, before?: () => void]>([
    ["the agent is busy from the beginning", () => say("busy"), () => say("busy")],
    ["the agent goes on to wait", () => say("waiting")],
    ["the state is older than the wait", other({ statusUpdatedAt: startMs })],
    ["the file has no status", other({ status: undefined })],
    ["the status is unknown", other({ status: "dreaming" })],
    ["the time is no number", other({ statusUpdatedAt: "now" })],
    ["the file is another session's", other({ sessionId: "other" })],
    ["the process number belongs to a later process", other({ procStart: "1" })],
    ["the file has 10 MB", other({ filler: "x".repeat(10_000_000) })],
    ["the file is no JSON", () => writeFileSync(file, "{torn")],
    [
      "the file is a link",
      () => {
        say("busy");
        const elsewhere = join(dirname(file), "elsewhere.json");
        renameSync(file, elsewhere);
        symlinkSync(elsewhere, file);
      },
    ],
    ["the file is gone", () => rmSync(file)],
    ["the file is a folder", () => void [rmSync(file), mkdirSync(file)]],
  ])("goes on to wait if %s", async (_, then, before) => {
    await playChange(then, before);
    expect([verbs(), resolutions()]).toEqual([["ring"], []]);
  });

  test("stays if it is one of two", async () => {
    ask("t2", "npm test");
    await playChange();
    expect(resolutions()).toEqual([]);
  });

  test("of a sub-agent stays, whatever the main session does", async () => {
    transcript.launches("a1");
    transcript.subAgent("a1").calls({ t9: ["Bash", { command: "ls" }] });
    const asked = { agent_id: "a1", tool_name: "Bash", tool_input: { command: "ls" } };
    world.fire(shop, "PermissionRequest", { ...asked, transcript_path: transcript.path });
    await until(3);
    say("waiting");
    await until(10);
    say("busy");
    await until(20);
    expect([verbs(), resolutions()]).toEqual([["ring"], []]);
  });

  test("stays with `judgeLate` off", async () => {
    await start({ judgeLate: false });
    await playChange();
    expect(resolutions()).toEqual([]);
  });
});

describe("a dialog that no hook reports", () => {
  /** Begins a turn in which the agent waits from the third second on. */
  async function open(waitingFor: string): Promise<void> {
    world.fire(shop, "UserPromptSubmit", { prompt: "go", transcript_path: transcript.path });
    await until(3);
    say("waiting", { waitingFor });
    await until(11);
    expect(verbs()).toEqual([]);
    for (const seconds of [14, 15, 25]) await until(seconds);
  }

  test.each(["dialog open", "sandbox request", "goal proposal"])("rings once after ten seconds: %s", async (what) => {
    await open(what);
    expect(world.calls.map(({ verb, body }) => [verb, body])).toEqual([["ring", expect.stringContaining(what)]]);
    say("busy");
    await until(40);
    expect(verbs()).toEqual(["ring", "withdraw"]);
    expect(resolutions()).toEqual(["answered"]);
  });

  test.each(["permission prompt", "input needed", ""])("is none if hooks report it: %j", async (what) => {
    await open(what);
    expect(verbs()).toEqual([]);
  });

  test("is none if it closes within ten seconds, or between turns", async () => {
    world.fire(shop, "UserPromptSubmit", { prompt: "go", transcript_path: transcript.path });
    await until(3);
    say("waiting", { waitingFor: "sandbox request" });
    await until(9);
    say("busy");
    await until(25);
    world.fire(shop, "Stop", { transcript_path: transcript.path });
    await until(30);
    say("waiting", { waitingFor: "dialog open" });
    await until(60);
    expect(verbs()).toEqual([]);
  });
});

test("every state that was recorded is read, and a file without one says nothing", () => {
  const path = new URL("../fixtures/agent-states/claude-2.1.331.jsonl", import.meta.url);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const read = lines.map((line) => {
    const { file } = JSON.parse(line);
    const state = claudeTranscript.state?.read(file).state;
    return (
      [file.status, file.waitingFor, file.statusUpdatedAt].join() ===
      [state?.status, state?.waitingFor, state?.atMs].join()
    );
  });
  expect(read.filter(Boolean)).toHaveLength(lines.length);
  expect(lines.length).toBeGreaterThan(30);
});

describe("a session is shown", () => {
  const working = (more: Partial<Alert> = {}): Alert =>
    makeAlert({
      ...{ agent: "claude", sessionId: "shop", transcriptPath: transcript.path, processes: [process.pid] },
      ...{ agentStartTicks: startTicks, promptedAtMs: startMs, lastAtMs: startMs, lastEvent: "Prompt", ...more },
    });
  const later = () => {
    world.nowMs = startMs + 5_000;
  };

  test.each([
    ["idle", {}, "idle"],
    ["waiting", { waitingFor: "sandbox request" }, "dialog"],
    ["busy", {}, "working"],
  ])("as its agent says: %s %j", (status, more, state) => {
    later();
    say(status, more);
    const shown = readActivity(working());
    expect(shown).toMatchObject({ state, ...more });
    expect(readActivity(working({ isRelayed: true })).state).toBe("working");
  });

  test("as working again if the agent is busy after a turn's end", () => {
    later();
    say("busy");
    expect(readActivity(working({ lastEvent: "Stop" }))).toEqual({ state: "working", sinceMs: startMs + 5_000 });
    say("busy", { statusUpdatedAt: startMs - 1 });
    expect(readActivity(working({ lastEvent: "Stop" })).state).toBe("done");
  });

  test("as interrupted if the transcript says so of this turn, and as working in the middle of a call", () => {
    transcript.calls({ t1: ["Bash", { command: "npm test" }] });
    expect(readActivity(working()).state).toBe("working");
    transcript.user("[Request interrupted by user]");
    expect(readActivity(working()).state).toBe("interrupted");
    // The next prompt's line is not written yet.
    expect(readActivity(working({ promptedAtMs: startMs + 60_000 })).state).toBe("working");
    expect(readActivity(working({ transcriptPath: "/nowhere" })).state).toBe("working");
    // Codex's line names no time, and no prompt was reported.
    transcript.write({ type: "event_msg", payload: { type: "turn_aborted" } });
    const codex = working({ agent: "codex", promptedAtMs: undefined });
    expect(readActivity(codex)).toEqual({ state: "interrupted", sinceMs: startMs });
  });
});
