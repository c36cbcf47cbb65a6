import { spawn } from "node:child_process";

/** Command lines of beckon's hooks, by event. */
const commands = {};

const maxSessions = 200;
const maxTextChars = 20_000;
/** Number of a session's prompts that are known. */
const maxPrompts = 50;
/** Maximum depth of nested sub-agents. */
const maxDepth = 10;
/** Time of continued retries after which a retry is reported: one minute. */
const longRetryMs = 60_000;

/** Options before a command that have a value. */
const optionsWithValue = /^(?:--(?:agent|cors|hostname|log-level|mdns-domain|model|port|prompt|session)|-[ms])$/;
/** True for `opencode run`, which has no terminal and answers each request itself. */
const isHeadless = isRun(process.argv.slice(2));

function isRun([word, ...others]) {
  if (!word?.startsWith("-")) return word === "run";
  return isRun(optionsWithValue.test(word) ? others.slice(1) : others);
}

/** Facts about each session, by the session's id. Later events do not repeat these facts. */
const sessions = new Map();

/** Properties of handled events. If two copies of this module are installed, both get the same properties. */
const handledKey = Symbol.for("beckon.opencode.handled");
globalThis[handledKey] ??= new WeakSet();
const handled = globalThis[handledKey];

/**
 * Notes the facts in an event. Returns the event's part of the hook's input; undefined if the hook is not to run. Every
 * other event, such as the many for parts of an answer, is ignored.
 */
const readers = {
  "session.created": noteInfo,
  "session.updated": noteInfo,
  "session.deleted": ({ sessionID, info }) => void sessions.delete(sessionID ?? info?.id),
  "message.updated": noteMessage,
  "message.part.updated": notePart,
  "message.part.removed": forgetText,
  "session.status": noteStatus,
  "session.idle": takeMessage,
  "session.error": ({ error }) => ({ error }),
  "permission.asked": readRequest,
  "permission.updated": readRequest,
  "permission.replied": readReply,
  "question.asked": readRequest,
  "question.replied": readReply,
  "question.rejected": readReply,
  // OpenCode 2
  "session.execution.succeeded": takeMessage,
  "session.execution.failed": ({ error }) => ({ error }),
  "form.created": ({ form }) => readRequest(form),
  "form.replied": readReply,
  "form.cancelled": readReply,
};

function noteInfo({ info }, session) {
  const { parentID, title, tokens, cost } = info ?? {};
  Object.assign(session, { parentID: parentID ?? session.parentID, title, tokens, cost });
}

/** Keeps the newest answer, and the id of a new prompt. The events of older prompts come again later. */
function noteMessage({ info }, session) {
  const { id, role, finish, error, summary } = info ?? {};
  if (role === "assistant") session.message = { id, finish, error: error?.name, summary };
  session.promptIDs ??= [];
  if (role !== "user" || session.promptIDs.includes(id)) return;
  session.promptIDs = [id, ...session.promptIDs].slice(0, maxPrompts);
  Object.assign(session, { promptID: id, message: undefined, retriesSinceMs: undefined });
}

/**
 * Runs the hook of a prompt at its first part that a person wrote, without its text: OpenCode itself writes prompts to
 * compact the conversation. Keeps the texts of other messages. An agent may remove a text that only showed its progress.
 */
function notePart({ part }, session) {
  if (!part || part.synthetic || part.ignored || part.type === "compaction") return undefined;
  if (part.messageID !== undefined && part.messageID === session.promptID) {
    session.promptID = undefined;
    return { event: "message.updated", prompt_id: part.messageID };
  }
  if (part.type === "text") noteText(part, session);
  return undefined;
}

function noteText(part, session) {
  if (session.textsOf !== part.messageID) Object.assign(session, { textsOf: part.messageID, texts: new Map() });
  session.texts.set(part.id, String(part.text));
}

function forgetText({ partID }, session) {
  session.texts?.delete(partID);
}

function noteStatus({ status }, session) {
  if (status?.type !== "retry") return undefined;
  session.retriesSinceMs ??= Date.now();
  if (Date.now() - session.retriesSinceMs < longRetryMs) return undefined;
  session.retriesSinceMs = Number.POSITIVE_INFINITY;
  return { status };
}

/** Takes the answer that has not been reported yet, with its texts. An idle session may send the idle event twice. */
function takeMessage(_, session) {
  const { message, texts, textsOf, tokens, cost } = session;
  Object.assign(session, { message: undefined, texts: undefined, textsOf: undefined });
  const own = textsOf !== undefined && textsOf === message?.id ? [...texts.values()] : [];
  const text = own.findLast((each) => each.trim() !== "")?.slice(0, maxTextChars);
  return { answer: message && { ...message, text }, tokens, cost };
}

/** Keeps what describes the request: of the agent's own tools the command, but no changed files. */
function readRequest({ id, permission, action, type, questions, title, patterns, pattern, resources, metadata }) {
  const isOwn = !String(permission ?? action ?? type).includes("_");
  const request = { id, permission, action, type, questions, title, patterns, pattern, resources };
  return { request: { ...request, metadata: isOwn ? { command: metadata?.command } : metadata }, tool_call_id: id };
}

function readReply({ requestID, permissionID, id }) {
  return { tool_call_id: requestID ?? permissionID ?? id };
}

function handle({ type, properties, data }, directory) {
  if (!Object.hasOwn(readers, type)) return;
  const facts = properties ?? data ?? {};
  if (handled.has(facts)) return;
  handled.add(facts);
  const id = findSessionId(facts);
  const session = findSession(id);
  const read = readers[type](facts, session);
  if (!read) return;
  const { event = type, ...input } = read;
  run(event, { ...describe(id, directory), ...input });
}

function findSessionId({ sessionID, info, part, form }) {
  return sessionID ?? info?.sessionID ?? part?.sessionID ?? form?.sessionID ?? info?.id;
}

function findSession(id) {
  const known = sessions.get(id) ?? {};
  sessions.delete(id);
  sessions.set(id, known);
  if (sessions.size > maxSessions) sessions.delete(sessions.keys().next().value);
  return known;
}

/** Describes a session. A sub-agent's session is described as a part of the session that started the sub-agent. */
function describe(id, directory) {
  const root = findRoot(id, maxDepth);
  const { title } = sessions.get(root) ?? {};
  const subAgent = root === id ? {} : { agent_id: id, agent_title: sessions.get(id)?.title };
  const headless = isHeadless ? { headless: true } : {};
  return { session_id: root, cwd: directory, title, ...headless, ...subAgent };
}

function findRoot(id, depth) {
  const parent = sessions.get(id)?.parentID;
  return parent === undefined || depth === 0 ? id : findRoot(parent, depth - 1);
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

/** Entry point for OpenCode 1 and the agents made from OpenCode. */
async function server({ directory }) {
  return {
    event: async ({ event }) => quietly(() => handle(event, directory)),
    dispose: async () => quietly(() => endSessions(directory)),
  };
}

function endSessions(directory) {
  for (const [id, { parentID }] of sessions) if (!parentID) run("dispose", describe(id, directory));
  sessions.clear();
}

/** Entry point for OpenCode 2, called once for each open folder. OpenCode 1 also calls it, but without events. */
async function setup(ctx) {
  if (!ctx?.event?.subscribe) return undefined;
  const end = new AbortController();
  listen(ctx, end.signal).catch(() => {});
  return () => {
    end.abort();
    quietly(() => endSessions(folderIn(ctx)));
  };
}

/** Handles the events of one folder. Every folder's instance gets the events of all folders. */
async function listen(ctx, signal) {
  const own = folderIn(ctx);
  for await (const event of ctx.event.subscribe({ signal })) {
    const folder = folderIn(event) ?? own;
    if (own === undefined || folder === own) quietly(() => handle(event, folder));
  }
}

function folderIn({ location, directory }) {
  return location?.directory ?? (typeof location === "string" ? location : directory);
}

export default { id: "beckon", server, setup };
