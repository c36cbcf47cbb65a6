import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { cline } from "../../src/agents/cline.ts";
import { replayText } from "../worker/replay.ts";
import { parsed } from "../world/parsed.ts";
import { listKinds } from "./started-hooks.ts";

const fixtures = join(import.meta.dirname, "../fixtures/plugin-events/cline");

function readPayload(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(fixtures, `${name}.json`), "utf8"));
}

/**
 * Sessions by title: the files of Cline's events, and the expected rings in the form of `rings.ts`. Only registered
 * events run a hook.
 */
const sessions: Readonly<Record<string, readonly [files: readonly string[], rings: string]>> = {
  "a finished turn": [["TaskStart", "TaskComplete"], "D"],
  "a finished run without a terminal": [["TaskComplete-headless"], "D"],
  "a command, granted": [["TaskStart", "PreToolUse-command", "PostToolUse-command", "TaskComplete"], "D"],
  "a command, refused": [["TaskStart", "PreToolUse-command", "PostToolUse-rejected", "TaskComplete"], "D"],
  "a question": [["TaskStart", "PreToolUse-question", "PostToolUse-question", "TaskComplete"], "ND"],
  "an error 400": [["TaskStart", "TaskError-400"], "F"],
  "an error 401": [["TaskStart", "TaskError-401"], "F"],
  "an error 500": [["TaskStart", "TaskError-500"], "F"],
  "an error without a terminal": [["TaskError-headless"], "F"],
  "an interrupted turn": [["TaskStart", "SessionShutdown-interrupted"], ""],
  "a sub-agent": [["TaskStart", "TaskComplete"].flatMap((name) => [`${name}-sub-agent-1`, `${name}-sub-agent-2`]), "D"],
};

async function play(files: readonly string[]) {
  const registered = Object.keys(cline.settings?.defaultEvents ?? {});
  const happenings = files.flatMap((name, index) => {
    const hook = name.split("-")[0] ?? "";
    return registered.includes(hook) ? [{ atMs: index * 3000, hook, payload: readPayload(name) }] : [];
  });
  const head = { agent: "cline", startedAt: "2026-11-25T03:00:00Z" };
  return replayText([head, ...happenings].map((line) => JSON.stringify(line)).join("\n"));
}

describe("Cline rings right", () => {
  test.each(Object.entries(sessions))("for %s", async (_, [files, expected]) => {
    const { rings, journal } = await play(files);
    expect(listKinds(rings), JSON.stringify(rings)).toBe(expected);
    expect(JSON.stringify([rings, journal])).not.toContain("userId");
  });

  test("and every recorded event is in a session", () => {
    const used = new Set(Object.values(sessions).flatMap(([files]) => files));
    const files = readdirSync(fixtures).map((name) => name.replace(/\.json$/, ""));
    expect(files.filter((file) => !used.has(file))).toEqual([]);
  });
});

const question = "Which colour should the button have? (options_1 / options_2)";

describe("a payload of Cline", () => {
  test.each([
    ["TaskComplete", { event: "Stop", kind: "finished", lastMessage: "All done: the file was reviewed." }],
    ["TaskError-401", { event: "Stop", kind: "failed", message: "The scripted model refused this request (401)." }],
    ["PreToolUse-question", { kind: "needs-you", message: question }],
  ])("of %s has its text, its session and its folder", (file, expected) => {
    const payload = readPayload(file);
    const event = parsed(payload, { event: file.split("-")[0] ?? "", agent: "cline" });
    const { rootSessionId } = payload["sessionContext"] as { readonly rootSessionId: string };
    expect(event).toMatchObject({ ...expected, cwd: "/home/dev/shop", sessionId: rootSessionId });
    expect(event.skip).toBeUndefined();
  });

  test("of another tool is skipped", () => {
    const payload = { tool_call: { name: "run_commands", input: { commands: ['"ask_question"'] } } };
    expect(parsed(payload, { event: "PreToolUse", agent: "cline" }).skip).toBe("a tool call without a question");
  });
});

describe.each(["sh", "bash"])("Cline's script in %s", (shell) => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "beckon-cline-"));
  });

  /** Runs the script of an event. Its hook keeps standard input in a file, prints to both outputs, and fails. */
  function run(event: string, input: string) {
    const kept = join(folder, "kept");
    const command = `cat > '${kept}'; echo noise; echo noise >&2; false || :`;
    const script = join(folder, `${event}.sh`);
    writeFileSync(script, cline.settings?.ownText?.({ [event]: command }) ?? "");
    chmodSync(script, 0o755);
    const { status, stdout, stderr } = spawnSync(shell, [script], { input, encoding: "utf8" });
    return { status, stdout, stderr, kept: existsSync(kept) ? readFileSync(kept, "utf8") : undefined };
  }

  test("passes on a question, and prints nothing that could decide", () => {
    const text = "$(touch x) `id` $HOME \\n \\\\ 'END'";
    const payload = JSON.stringify({ tool_call: { name: "ask_question", input: { question: text } } });
    expect(run("PreToolUse", payload)).toEqual({ status: 0, stdout: "", stderr: "", kept: `${payload}\n` });
  });

  test("passes on a question with a line that could end the script's own text", () => {
    const payload = '{"tool_call":\n{"name":"ask_question"},"x":1\nEND\n}';
    expect(run("PreToolUse", payload)).toMatchObject({ status: 0, stdout: "", kept: `${payload}\n` });
  });

  test.each([
    ["another tool", JSON.stringify(readPayload("PreToolUse-command"))],
    ["a tool that writes about questions", JSON.stringify({ tool_call: { name: "write", input: '"ask_question"' } })],
    ["no input", ""],
  ])("starts no hook for %s", (_, input) => {
    expect(run("PreToolUse", input)).toEqual({ status: 0, stdout: "", stderr: "", kept: undefined });
  });

  test("passes on the end of a task as it came", () => {
    const payload = JSON.stringify(readPayload("TaskComplete"));
    expect(run("TaskComplete", payload)).toMatchObject({ status: 0, kept: payload });
  });
});
