import { appendFileSync, mkdirSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type Catalogue, englishCatalogue, languages, loadCatalogue } from "../../src/config/catalogues.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import type { Facts } from "../../src/core/facts.ts";
import { transcript } from "../../src/lookups/transcript.ts";
import { lookUp } from "../../src/pipeline/look-up.ts";
import { render } from "../../src/pipeline/render.ts";
import { makeConfig } from "../world/delivery-world.ts";
import { useFolder } from "../world/fresh-folder.ts";
import { makeEvent, ports } from "./loopback.ts";

const startMs = Date.parse("2026-11-20T12:00:00Z");

const at = useFolder();

const limits = { unit: "utf16", title: 100, body: 200 } as const;

/** Returns the line that a message about an event has for `{did}`. */
async function lineFor(event: AgentEvent): Promise<string> {
  const call = { event, settings: undefined, ports, signal: AbortSignal.timeout(5_000), isDoneWanted: true };
  return fillDone(await transcript.find(call), englishCatalogue);
}

function fillDone(facts: Facts, catalogue: Catalogue): string {
  const options = { limits, templates: { Stop: { body: "{did}" } }, catalogue };
  return render({ event: makeEvent({}), facts }, options).body;
}

function append(path: string, text: string, atMs: number): void {
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, text);
  utimesSync(path, atMs / 1000, atMs / 1000);
}

/** Form of an agent's transcript. */
interface Writer {
  readonly path: string;
  readonly prompt: object;
  /** Transcript of a sub-agent and its first line, or the mark of a sub-agent's lines in the same transcript. */
  readonly worker?: readonly [path: string, first?: object] | { readonly agentId: string };
  /** Names of the tools that edit, edit again, create, run and read. */
  readonly tools: string;
  /** Input of an editing tool. */
  edit(file: string): object;
  /** Lines of a call and its result; one that has failed did nothing. */
  call(id: string, tool: string, input: object, hasFailed: boolean): readonly object[];
}

const timestamp = new Date(startMs).toISOString();
const filePath = (file_path: string) => ({ file_path });
const path = (file: string) => ({ path: file });

function familyCall(id: string, name: string, input: object, is_error: boolean) {
  const result = { type: "tool_result", tool_use_id: id, is_error, content: is_error ? "denied" : "ok" };
  return [
    { type: "assistant", timestamp, message: { content: [{ type: "tool_use", id, name, input }] } },
    { type: "user", timestamp, message: { content: [result] } },
  ];
}

const grokLine = (update: object) => ({ params: { update, _meta: { agentTimestampMs: startMs } } });

const codexThread = {
  type: "session_meta",
  payload: { parent_thread_id: "s1", base_instructions: "x".repeat(22_000) },
};

const writers = {
  claude: {
    path: "projects/shop/s1.jsonl",
    worker: ["projects/shop/s1/subagents/agent-a1.jsonl"],
    prompt: { type: "user", timestamp, message: { content: "Do it" } },
    tools: "Edit MultiEdit Write Bash Read",
    edit: filePath,
    call: familyCall,
  },
  droid: {
    path: "sessions/shop/s1.jsonl",
    worker: ["sessions/shop/s2.jsonl", { type: "session_start", id: "s2", callingSessionId: "s1" }],
    prompt: { type: "message", timestamp, message: { role: "user", content: "Do it" } },
    tools: "Edit MultiEdit Create Execute Read",
    edit: filePath,
    call: (...call) =>
      familyCall(...call).map(({ type: role, message }) => ({
        ...{ type: "message", timestamp, message: { role, ...message } },
      })),
  },
  codex: {
    path: "sessions/2026/11/20/rollout-s1.jsonl",
    worker: ["sessions/2026/11/20/rollout-s2.jsonl", codexThread],
    prompt: { type: "event_msg", timestamp, payload: { type: "user_message", message: "Do it" } },
    tools: "apply_patch apply_patch apply_patch exec_command update_plan",
    edit: (file) => ({ input: `*** Begin Patch\n*** Update File: ${file}\n@@\n-a\n+b\n*** End Patch` }),
    call: (call_id, name, input, hasFailed) =>
      [
        { type: "custom_tool_call", name, ...input },
        { type: "custom_tool_call_output", output: hasFailed ? "patch rejected by user" : "ok" },
      ].map((payload) => ({ type: "response_item", timestamp, payload: { call_id, ...payload } })),
  },
  copilot: {
    path: "session-state/s1/events.jsonl",
    worker: { agentId: "a1" },
    prompt: { type: "user.message", timestamp, data: { content: "Do it" } },
    tools: "edit str_replace_editor create bash str_replace_editor",
    edit: path,
    call: (toolCallId, toolName, args, hasFailed) => [
      { type: "tool.execution_start", timestamp, data: { toolCallId, toolName, arguments: args } },
      { type: "tool.execution_complete", timestamp, data: { toolCallId, success: !hasFailed, result: {} } },
    ],
  },
  gemini: {
    path: "tmp/shop/chats/session-s1.jsonl",
    worker: ["tmp/shop/chats/s1/s2.jsonl"],
    prompt: { type: "user", timestamp, content: "Do it" },
    tools: "replace replace write_file run_shell_command read_file",
    edit: filePath,
    call: (id, name, args, hasFailed) => {
      const message = { id, type: "gemini", timestamp, content: "" };
      return [message, { ...message, toolCalls: [{ id, name, args, status: hasFailed ? "error" : "success" }] }];
    },
  },
  grok: {
    path: "sessions/shop/s1/updates.jsonl",
    worker: ["sessions/shop/s2/updates.jsonl"],
    prompt: grokLine({ sessionUpdate: "user_message_chunk", content: { text: "Do it" } }),
    tools: "search_replace search_replace write run_terminal_command read_file",
    edit: filePath,
    call: (toolCallId, title, rawInput, hasFailed) => [
      grokLine({ sessionUpdate: "subagent_spawned", subagent_id: "s2" }),
      grokLine({ sessionUpdate: "tool_call", toolCallId, title, rawInput }),
      grokLine({
        ...{ sessionUpdate: "tool_call_update", toolCallId, status: "completed" },
        content: [{ content: { text: hasFailed ? "User rejected the execution" : "ok" } }],
      }),
    ],
  },
  kimi: {
    path: "sessions/s1/agents/main/wire.jsonl",
    worker: ["sessions/s1/agents/agent-0/wire.jsonl"],
    prompt: { type: "turn.prompt", time: startMs, origin: { kind: "user" } },
    tools: "Edit StrReplaceFile WriteFile Bash Read",
    edit: path,
    call: (toolCallId, name, args, hasFailed) =>
      [
        { type: "tool.call", name, args },
        { type: "tool.result", result: { output: hasFailed ? "User rejected the approval request" : "ok" } },
      ].map((event) => ({ type: "context.append_loop_event", time: startMs, event: { toolCallId, ...event } })),
  },
  qwen: {
    path: "projects/shop/chats/s1.jsonl",
    worker: ["projects/shop/subagents/s1/agent-a1.jsonl"],
    prompt: { type: "user", timestamp, message: { parts: [{ text: "Do it" }] } },
    tools: "edit edit write_file run_shell_command read_file",
    edit: filePath,
    call: (id, name, args, hasFailed) =>
      [
        { functionCall: { id, name, args } },
        { functionResponse: { id, name, response: hasFailed ? { error: "denied" } : { output: "" } } },
      ].map((part, index) => ({
        ...{ type: index === 0 ? "assistant" : "tool_result", timestamp, message: { parts: [part] } },
      })),
  },
} satisfies Readonly<Record<string, Writer>>;

/**
 * Writes a turn after an earlier one: it edits a.ts twice and creates b.ts, fails to edit c.ts, runs two commands, and
 * reads; its sub-agent runs one command. Files of other sessions and turns do not count. Returns the turn's end.
 */
function write(agent: keyof typeof writers): AgentEvent {
  const { path, worker, prompt, tools, edit, call }: Writer = writers[agent];
  const root = at(agent);
  const [editing = "", again = "", creating = "", running = "", reading = ""] = tools.split(" ");
  const command = { command: "npm test", arguments: '{"cmd":"npm test"}' };
  const lines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");
  const before = (records: readonly object[]) =>
    lines(records)
      .replaceAll(timestamp, new Date(startMs - 1000).toISOString())
      .replaceAll(String(startMs), String(startMs - 1000));
  const past = before([{ ...prompt, id: "p1" }, ...call("c0", editing, edit("z.ts"), false)]);
  const turn = [
    { ...prompt, id: "p2" },
    ...call("c1", editing, edit("a.ts"), false),
    ...call("c2", again, edit("a.ts"), false),
    ...call("c3", creating, edit("b.ts"), false),
    ...call("c4", editing, edit("c.ts"), true),
    ...call("c5", running, command, false),
    ...call("c6", running, command, false),
    ...call("c7", reading, { ...edit("d.ts"), command: "view" }, false),
    // A call that waits for the user.
    ...call("c8", running, command, false).slice(0, -1),
  ];
  const work = call("c9", running, command, false);
  append(join(root, path), past + lines(turn), startMs + 1000);
  append(join(root, dirname(path), "s9.jsonl"), lines(work), startMs + 1000);
  if (worker && "agentId" in worker) {
    append(join(root, path), lines([prompt, ...work].map((line) => ({ ...line, ...worker }))), startMs + 1000);
  } else if (worker) {
    const [own, first = {}] = worker;
    // It has worked in an earlier turn, too, and is reminded at its end.
    append(join(root, own), lines([first]) + past + lines([...work, { ...prompt, id: "p3" }]), startMs + 1000);
    append(join(root, dirname(own), "agent-old.jsonl"), lines(work), startMs - 1);
  }
  return makeEvent({ agent, sessionId: "s1", lastMessage: "Done", transcriptPath: join(root, path) });
}

test("edits, commands and sub-agents of eight agents are counted, and what failed or was read is not", async () => {
  const agents = Object.keys(writers) as (keyof typeof writers)[];
  const lines = await Promise.all(agents.map(async (agent) => `${agent}: ${await lineFor(write(agent))}`));
  expect(lines).toEqual(agents.map((agent) => `${agent}: edited 2 files · ran 3 commands`));
});

test("calls are not searched for what they did unless it is wanted", async () => {
  const call = { event: write("claude"), settings: undefined, ports, signal: AbortSignal.timeout(5_000) };
  expect((await transcript.find(call)).work).not.toHaveProperty("done");
});

test("a turn whose beginning is too far back is not counted, since the count would be too low", async () => {
  const event = write("claude");
  const filler = JSON.stringify({ type: "attachment", attachment: { text: "x".repeat(1_000_000) } });
  append(event.transcriptPath ?? "", `${filler}\n${filler}\n`, startMs);
  expect(await lineFor(event)).toBe("edited 2 files · ran 3 commands");
  append(event.transcriptPath ?? "", `${filler}\n${filler}\n${filler}\n`, startMs);
  expect(await lineFor(event)).toBe("");
});

test.each([
  ["a general template", { templates: { Stop: { body: ["{summary}\n{did}", "{summary}"] } } }, true],
  ["a notifier's template", { notifiers: { a: { type: "desktop", templates: { failed: { title: "{did}" } } } } }, true],
  ["no template", { templates: { Stop: { body: "{summary}" } } }, false],
])("calls are counted if %s uses the name", async (_, settings, isCounted) => {
  const config = await makeConfig({ ...settings, lookups: ["transcript"] });
  const { facts } = await lookUp(write("claude"), { config, ports, keepSecret: () => {} });
  expect(facts.did).toEqual(isCounted ? { files: 2, commands: 3 } : undefined);
});

test("the line has the right plurals in every language", async () => {
  const texts = languages.map(async (language) => {
    const catalogue = await loadCatalogue(language);
    const line = (files: number, commands: number) => fillDone({ did: { files, commands } }, catalogue);
    return [line(3, 5), line(1, 1), line(0, 2), line(0, 0)].join(" | ");
  });
  expect(await Promise.all(texts)).toMatchInlineSnapshot(`
    [
      "edited 3 files · ran 5 commands | edited 1 file · ran 1 command | ran 2 commands | ",
      "3 Dateien bearbeitet · 5 Befehle ausgeführt | 1 Datei bearbeitet · 1 Befehl ausgeführt | 2 Befehle ausgeführt | ",
      "3 fichiers modifiés · 5 commandes exécutées | 1 fichier modifié · 1 commande exécutée | 2 commandes exécutées | ",
      "3 archivos editados · 5 comandos ejecutados | 1 archivo editado · 1 comando ejecutado | 2 comandos ejecutados | ",
      "3 arquivos editados · 5 comandos executados | 1 arquivo editado · 1 comando executado | 2 comandos executados | ",
      "3 個のファイルを編集 · 5 件のコマンドを実行 | 1 個のファイルを編集 · 1 件のコマンドを実行 | 2 件のコマンドを実行 | ",
      "编辑了 3 个文件 · 运行了 5 条命令 | 编辑了 1 个文件 · 运行了 1 条命令 | 运行了 2 条命令 | ",
    ]
  `);
});
