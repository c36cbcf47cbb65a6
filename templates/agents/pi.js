import { spawn } from "node:child_process";

/** Command lines of beckon's hooks, by event. */
const commands = {};

const maxTextChars = 20_000;
/** Environment variable that names the process and session that a person started, for the sub-agents of both. */
const rootVariable = "BECKON_PI_ROOT";
/** The instance of this module that reports a session, by the session's id. Pi may load the module more than once. */
const ownersKey = Symbol.for("beckon.pi.owners");
globalThis[ownersKey] ??= new Map();
const owners = globalThis[ownersKey];

/** Notes the facts in an event. Returns the event's part of the hook's input; undefined if the hook is not to run. */
const readers = {
  session_start: noteRoot,
  input: ({ source }) => (source === "extension" ? undefined : {}),
  agent_start: (_, turn) => void Object.assign(turn, { outcome: undefined }),
  tool_execution_start: ({ toolCallId, toolName, args }, turn) =>
    void Object.assign(turn, { tool: { id: toolCallId, name: toolName, args } }),
  tool_execution_end: noteToolEnd,
  agent_end: readEnd,
  agent_before_settle: ({ outcome }, turn) => void Object.assign(turn, { outcome }),
  agent_settled: takeTurn,
  ui_prompt_start: readPrompt,
  ui_prompt_end: readPromptEnd,
  session_shutdown: ({ reason }) => (reason === "reload" ? undefined : { reason }),
};

/** A new session in the process that a person started replaces the old session. */
function noteRoot({ reason }, _, ctx) {
  const [pid, id] = (process.env[rootVariable] ?? "").split(" ");
  const isOurs = Number(pid) === process.pid;
  if (!id || (isOurs ? reason !== "startup" : !isRunning(Number(pid)))) process.env[rootVariable] = nameRoot(ctx);
}

function nameRoot(ctx) {
  return `${process.pid} ${ctx.sessionManager.getSessionId()}`;
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** True if a program reads the session's events, such as the agent that started the sub-agent. */
function isSubAgent(ctx) {
  const mode = ctx.mode ?? (ctx.hasUI ? "tui" : "print");
  const root = process.env[rootVariable];
  return mode === "json" || (mode !== "tui" && root !== undefined && root !== nameRoot(ctx));
}

function noteToolEnd({ toolCallId }, turn) {
  if (turn.tool?.id === toolCallId) turn.tool = undefined;
}

/** Keeps the answer. Before 0.80.4, Pi had no `agent_settled`. */
function readEnd({ messages }, turn, ctx) {
  const answer = messages.findLast(({ role }) => role === "assistant");
  turn.answer = answer && {
    stopReason: answer.stopReason,
    error: answer.errorMessage,
    text: readText(answer.content),
    id: String(answer.timestamp),
  };
  return turn.settles ? undefined : takeTurn({}, turn, ctx);
}

function readText(content) {
  const texts = [content].flat().flatMap((part) => (part?.type === "text" ? part.text : []));
  return texts.join("\n").slice(0, maxTextChars);
}

function takeTurn(_, turn, { sessionManager }) {
  const { answer, outcome } = turn;
  Object.assign(turn, { answer: undefined, outcome: undefined });
  // Both came with 0.87.
  const tellsOutcome = "appendContextEdit" in sessionManager;
  return { answer, outcome, tells_outcome: tellsOutcome, usage: sumUsage(sessionManager.getEntries()) };
}

function sumUsage(entries) {
  const sum = {};
  for (const { message } of entries) {
    const { cost, ...counts } = (message?.role === "assistant" && message.usage) || {};
    for (const [name, count] of Object.entries({ ...counts, cost: cost?.total })) {
      if (Number.isFinite(count)) sum[name] = (sum[name] ?? 0) + count;
    }
  }
  return sum;
}

function readPrompt({ kind, title }, turn, ctx) {
  turn.promptCount += 1;
  const id = `prompt-${turn.promptCount}`;
  turn.prompts.set(`${kind} ${title}`, id);
  const { name, args } = turn.tool ?? {};
  return { tool_call_id: id, request: { kind, title, tool: name, args }, idle: ctx.isIdle() };
}

function readPromptEnd({ kind, title }, turn) {
  return { tool_call_id: turn.prompts.get(`${kind} ${title}`) };
}

function handle(pi, turn, event, ctx) {
  const id = ctx.sessionManager.getSessionId();
  if (event.type === "session_start" || !owners.has(id)) owners.set(id, turn);
  if (owners.get(id) !== turn) return;
  const input = readers[event.type](event, turn, ctx);
  if (event.type === "session_shutdown") owners.delete(id);
  if (input && !isSubAgent(ctx)) run(event.type, { ...describe(pi, ctx), ...input });
}

function describe(pi, { sessionManager, cwd }) {
  return {
    session_id: sessionManager.getSessionId(),
    transcript_path: sessionManager.getSessionFile(),
    cwd,
    title: pi.getSessionName(),
  };
}

/** Runs a hook without waiting for its end. The hook gets no terminal, because the terminal belongs to the agent. */
function run(event, input) {
  const command = commands[event];
  if (!command) return;
  const text = JSON.stringify({ hook_event_name: event, ...input }); // before the hook starts, because it may throw
  const hook = spawn(command, { shell: true, detached: true, stdio: ["pipe", "ignore", "ignore"], windowsHide: true });
  hook.on("error", () => {});
  hook.stdin.on("error", () => {});
  hook.stdin.end(text);
  hook.unref();
}

/** Calls a function and ignores its errors, which must not disturb the agent. */
function quietly(act) {
  try {
    act();
  } catch {}
}

/** Entry point, which Pi calls for each session, and again when the user reloads extensions. */
export default function beckon(pi) {
  const turn = { prompts: new Map(), promptCount: 0, settles: typeof pi.registerEntryRenderer === "function" };
  for (const type of Object.keys(readers)) {
    // Pi does not start if an extension throws while it loads.
    quietly(() => pi.on(type, (event, ctx) => quietly(() => handle(pi, turn, event, ctx))));
  }
}
