import { isAbsolute, join } from "node:path";
import { agentNamed } from "../agents/registry.ts";
import type { Agent, TranscriptFormat } from "../core/agent.ts";
import { cleanLine } from "../core/clean.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import { defineLookup } from "../core/lookup.ts";
import { expandHome, homeDirectory } from "../core/paths.ts";
import type { FilesPort } from "../core/ports.ts";
import { present } from "../core/present.ts";
import { summarize } from "../core/summary.ts";

const headBytes = 16 * 1024;
const companionBytes = 256 * 1024;
const indexBytes = 256 * 1024;
const maxTitleChars = 200;
const tailBytes = [64 * 1024, 128 * 1024, 256 * 1024, 512 * 1024];

/**
 * Facts from the agent's transcript on this machine. What the payload itself says was said last counts more: a
 * transcript may lag behind. Without a transcript that can be read, or in time, the payload's part is all there is.
 */
export const transcript = defineLookup({
  name: "transcript",
  summary: "Reads title, last answer, outcome, duration and token counts from the agent's transcript on this machine.",
  budgetMs: 300,
  async find({ event, ports, signal }): Promise<Facts> {
    const agent = agentNamed(event.agent);
    const facts = agent ? await Promise.race([factsOf(event, agent, ports.files, signal), nothingAt(signal)]) : {};
    const lastMessage = event.lastMessage ?? facts.lastMessage;
    const summary = summarize(lastMessage ?? "") || undefined;
    const title = facts.title ?? titleOf(event);
    return present<Facts>({ ...facts, title, lastMessage, summary });
  },
});

/** Kimi says it in every payload. */
function titleOf({ extra }: AgentEvent): string | undefined {
  const title = extra["session_title"];
  return typeof title === "string" ? cleanLine(title.slice(0, maxTitleChars)) || undefined : undefined;
}

async function factsOf(event: AgentEvent, agent: Agent, files: FilesPort, signal: AbortSignal): Promise<Facts> {
  const format = agent.transcript;
  const path = safePath(event.transcriptPath ?? (await indexedPath(event, agent, files)));
  return format && path ? read(event, format, path, files, signal) : {};
}

/** What the agent's own index of sessions says. */
async function indexedPath({ sessionId }: AgentEvent, { transcript, settings }: Agent, files: FilesPort) {
  if (!transcript?.index || !settings || sessionId === undefined) return undefined;
  const { env, platform } = process;
  const folder = settings.folder({ home: homeDirectory(env), project: "/", env, platform });
  const text = await files.readTail(join(folder, transcript.index.name), indexBytes);
  return text === undefined ? undefined : transcript.index.find(text, sessionId);
}

/** A transcript's end is read in ever larger parts until it shows the last answer and the prompt before it. */
async function read(
  event: AgentEvent,
  format: TranscriptFormat,
  path: string,
  files: FilesPort,
  signal: AbortSignal,
): Promise<Facts> {
  const companionPath = format.companion?.(path);
  const [head, companion] = await Promise.all([
    files.readHead(path, headBytes),
    companionPath === undefined ? undefined : files.readTail(companionPath, companionBytes),
  ]);
  let facts: Facts = {};
  let known = -1;
  for (const maxBytes of tailBytes) {
    const tail = signal.aborted ? undefined : await files.readTail(path, maxBytes);
    if (head === undefined || tail === undefined || tail.length === known) break;
    known = tail.length;
    facts = format.read({ head, tail, ...(companion !== undefined && { companion }) });
    const isEnough = (event.lastMessage ?? facts.lastMessage) !== undefined && facts.turnMs !== undefined;
    if (isEnough || facts.messageCount !== undefined) break;
  }
  return facts;
}

/** An absolute path on this machine, or undefined. */
function safePath(given: string | undefined): string | undefined {
  const path = given && expandHome(given);
  if (path === undefined || !isAbsolute(path) || path.includes("\0")) return undefined;
  // Opening a network path on Windows logs on to whatever machine it names.
  return process.platform === "win32" && /^[\\/]{2}/.test(path) ? undefined : path;
}

/** No facts, once the budget is used up: a file on a hanging network drive cannot be given up otherwise. */
function nothingAt(signal: AbortSignal): Promise<Facts> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve({});
    signal.addEventListener("abort", () => resolve({}), { once: true });
  });
}
