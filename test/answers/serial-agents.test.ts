import { beforeEach, describe, expect, test } from "vitest";
import { makeReference } from "../../src/answers/held-asks.ts";
import { judgeRequest } from "../../src/answers/judge-request.ts";
import type { AnswerSettings } from "../../src/config/answers-table.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import { parse } from "../../src/pipeline/parse.ts";
import { KeeperWorld } from "./keeper-world.ts";

const cwd = "/home/dev/shop";
const settings: AnswerSettings = {
  agents: ["codex", "qwen"],
  projects: ["/home/dev/shop/**"],
  wait: 600_000,
  when: "away",
  never: [],
  from: {},
};

function judge(agent: string, call: object, transcript?: string) {
  const payload = { session_id: "s1", cwd, hook_event_name: "PermissionRequest", ...call };
  const header = { v: 1, event: "PermissionRequest", agent, ask: 600 } as const;
  const record = { header, payload: Buffer.from(JSON.stringify(payload)), end: 0 };
  return judgeRequest(record, parse(record, "e1", 0), settings, transcript);
}

/** Lines of Codex's transcript: a call with these arguments, and the output of another. */
function rollout(...calls: readonly object[]): string {
  const items = calls.map((args, index) => {
    const name = "exec_command";
    return { type: "function_call", call_id: `c${index}`, name, arguments: JSON.stringify(args) };
  });
  return items.map((payload) => `${JSON.stringify({ type: "response_item", payload })}\n`).join("");
}

const command = "npm publish";
const bash = { tool_name: "Bash", tool_input: { command, description: "Publish it" } };
const patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** End Patch";
const patchCall = { type: "custom_tool_call", call_id: "p1", name: "apply_patch", input: patch };
const patching = `${JSON.stringify({ type: "response_item", payload: patchCall })}\n`;

describe("a request of Codex", () => {
  test("is shown with the folder and rights that only its transcript has", () => {
    const call = { cmd: command, workdir: `${cwd}/api`, sandbox_permissions: "require_escalated", yield_time_ms: 9 };
    expect(judge("codex", bash, rollout({ cmd: "ls" }, call))).toMatchObject({
      lines: [
        `Bash: ${command}`,
        "the agent says: Publish it",
        `workdir: ${cwd}/api`,
        "sandbox_permissions: require_escalated",
      ],
      choices: ["deny", "allow"],
      isSerial: true,
    });
  });

  test("can be a patch, or a call of a server", () => {
    const asked = { tool_name: "apply_patch", tool_input: { command: patch } };
    const lines = `apply_patch: ${patch.replaceAll("\n", "\n  » ")}`.split("\n");
    expect(judge("codex", asked, patching)).toMatchObject({ lines, choices: ["deny", "allow"] });
    const heredoc = rollout({ cmd: `apply_patch <<'E'\n${patch}\nE`, workdir: "api" });
    expect(judge("codex", asked, heredoc)).toMatchObject({ lines: expect.arrayContaining(["workdir: api"]) });
    const server = { tool_name: "mcp__db__query", tool_input: { sql: "select 1" } };
    expect(judge("codex", server)).toMatchObject({ lines: ["db · query", "sql: select 1"] });
  });

  test("can only be denied elsewhere if the transcript does not show where and how it runs", () => {
    const answered = `${rollout({ cmd: command })}${JSON.stringify({ payload: { type: "function_call_output", call_id: "c0" } })}\n`;
    const unlike = rollout({ cmd: command, workdir: "a" }, { cmd: command, workdir: "b" });
    for (const transcript of [undefined, "", "garbage\n", rollout({ cmd: `${command} x` }), answered, unlike]) {
      expect(judge("codex", bash, transcript)).toMatchObject({
        choices: ["deny"],
        denyOnly: "its folder and rights are unknown",
      });
    }
    const alike = rollout({ cmd: command, workdir: "a" }, { cmd: command, workdir: "a" });
    expect(judge("codex", bash, alike)).toMatchObject({ choices: ["deny", "allow"] });
  });

  test.each(["/home/dev/other", "..", "../other"])(
    "is left to its dialog if it runs in %s, outside the projects",
    (workdir) => {
      expect(judge("codex", bash, rollout({ cmd: command, workdir }))).toMatchObject({
        reason: /none of `answers.projects`/,
      });
    },
  );

  test("is left to its dialog if its rights name something that is never answered elsewhere", () => {
    const rights = { file_system: { write: ["/home/dev/.ssh"] } };
    const transcript = rollout({ cmd: command, additional_permissions: rights });
    expect(judge("codex", bash, transcript)).toMatchObject({ reason: /keys and passwords/ });
  });

  test.each(["request_permissions", "write_stdin", "update_plan", "constructor"])(
    "for %s is left to its dialog",
    (tool) => {
      expect(judge("codex", { tool_name: tool, tool_input: {} })).toMatchObject({
        reason: /only answered in the agent/,
      });
    },
  );
});

describe("a request of Qwen Code", () => {
  test.each<[string, object, readonly string[]]>([
    [
      "run_shell_command",
      { command, description: "Publish it", directory: "/tmp", is_background: false },
      [`run_shell_command: ${command}`, "directory: /tmp", "is_background: false", "the agent says: Publish it"],
    ],
    ["edit", { file_path: `${cwd}/a.ts`, old_string: "a", new_string: "b" }, [`edit: ${cwd}/a.ts`, "- a", "+ b"]],
    ["write_file", { file_path: `${cwd}/a.ts`, content: "a" }, [`write_file: ${cwd}/a.ts`, "+ a"]],
    [
      "web_fetch",
      { url: "https://example.org", prompt: "Sum up" },
      ["web_fetch: https://example.org", "prompt: Sum up"],
    ],
    ["mcp__db__query", { sql: "select 1" }, ["db · query", "sql: select 1"]],
  ])("for %s is shown whole", (tool_name, tool_input, lines) => {
    expect(judge("qwen", { tool_name, tool_input })).toMatchObject({
      lines,
      choices: ["deny", "allow"],
      isSerial: true,
    });
  });

  test.each(["ask_user_question", "exit_plan_mode", "agent", "save_memory"])("for %s is left to its dialog", (tool) => {
    expect(judge("qwen", { tool_name: tool, tool_input: {} })).toMatchObject({ reason: /only answered in the agent/ });
  });

  test("is left alone if a sub-agent asks, which may be refused without a dialog", () => {
    const asked = { tool_name: "run_shell_command", tool_input: { command }, agent_id: "general-purpose-1" };
    expect(judge("qwen", asked)).toEqual({ reason: "a sub-agent's request may get no dialog" });
  });
});

describe("a waiting hook that keeps the agent's dialog from opening", () => {
  let world: KeeperWorld;
  beforeEach(() => {
    world = new KeeperWorld();
    world.settings.agents = ["codex", "qwen", "claude"];
    world.presence.now = { isLocked: true };
    world.transcript = rollout({ cmd: "npm test" });
  });
  const ask = (call = {}) => world.ask({ transcriptPath: "/rollout", ...call }, { agent: "codex" });

  test.each<[string, "away" | "always", object, boolean]>([
    ["the screen is locked", "away", { isLocked: true, idleMs: 0 }, true],
    ["there was no input for the time of absence", "away", { idleMs: 180_000 }, true],
    ["there was input shortly before", "away", { idleMs: 179_999 }, false],
    ["there was input shortly before, with `always`", "always", { idleMs: 0 }, false],
    ["a key was pressed in the terminal shortly before", "always", { typedAtMs: 1_799_999_999_000 }, false],
    ["nothing is known of the user", "always", {}, false],
  ])("waits only while the user is away: %s", async (_, when, now, isHeld) => {
    world.settings.when = when;
    world.presence.now = now;
    const id = await ask();
    expect(world.statuses(id)).toEqual([isHeld ? "asked" : "given-up"]);
    expect(world.answer(id)).toBe(isHeld ? undefined : "");
  });

  test("ends with the first key, even if the terminal's clock is behind", async () => {
    world.presence.typedAtMs = world.clock.now() - 400_000;
    const id = await ask();
    world.poll();
    expect(world.statuses(id)).toEqual(["asked"]);
    world.presence.typedAtMs = world.clock.now() - 900;
    world.poll();
    expect(world.statuses(id)).toEqual(["asked", "given-up"]);
    expect(world.answer(id)).toBe("");
    expect(world.lines.at(-1)).toMatchObject({ reason: "you are at the agent's terminal" });
  });

  test("makes the worker look for keys at once, and only then", async () => {
    world.settings.when = "always";
    await world.ask();
    expect(world.keeper.isSerial).toBe(false);
    await ask();
    expect(world.keeper.isSerial).toBe(true);
    world.keeper.asks.endAll("over");
    expect(world.keeper.isSerial).toBe(false);
  });

  test("ends with the session, and with the next prompt", async () => {
    const id = await ask();
    await world.tell("UserPromptSubmit", { prompt: "go on" }, "codex");
    expect(world.statuses(id)).toEqual(["asked", "given-up"]);
    const other = await ask();
    await world.tell("SessionEnd", {}, "codex");
    expect(world.statuses(other)).toEqual(["asked", "given-up"]);
  });

  test("counts the dialog's own notification as part of the request for a minute, while that is open", async () => {
    const isAwaited = (sessionId = "s1") => {
      const notification = { ...event, id: "other", sessionId, atMs: event.atMs + 60_000 };
      return world.keeper.asks.isAwaited(notification, world.context);
    };
    const id = await ask();
    const event = world.keeper.asks.findOpen(id)?.event as AgentEvent;
    expect(isAwaited()).toBe(true);
    world.concernStates.set(id, "ringing");
    world.keeper.asks.endAll("you are at the agent's terminal");
    world.clock.skip(59_999);
    expect([isAwaited(), isAwaited("s2")]).toEqual([true, false]);
    world.concernStates.set(id, "resolved");
    expect(isAwaited()).toBe(false);
    world.concernStates.set(id, "ringing");
    world.clock.skip(1);
    expect(isAwaited()).toBe(false);
  });

  test("counts it as part of a request that was never held, too", async () => {
    world.presence.now = { idleMs: 0 };
    const id = await ask();
    world.concernStates.set(id, "ringing");
    expect(world.statuses(id)).toEqual(["given-up"]);
    const event = world.keeper.asks.findEnded(makeReference(id)) as AgentEvent;
    world.clock.skip(12_000);
    expect(world.keeper.asks.isAwaited({ ...event, id: "other", atMs: event.atMs + 12_000 }, world.context)).toBe(true);
  });
});
