import { dirname } from "node:path";
import { agentNamed } from "../agents/registry.ts";
import { type Agent, isVagueRequest, type TranscriptFormat } from "../core/agent.ts";
import { type FoundFacts, lacksAnswer } from "../core/facts.ts";
import { defineLookup, type LookupCall } from "../core/lookup.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { cleanLine } from "../text/clean.ts";
import { isEmptyAnswer, summarize } from "../text/summary.ts";
import { countDone, findTranscript, withSubAgents } from "./session-files.ts";

const headBytes = 16 * 1024;
const companionBytes = 256 * 1024;
/**
 * Numbers of bytes to read from the transcript's end. The next larger number is tried until the bytes include the last
 * answer and its prompt.
 */
const tailBytes = [64 * 1024, 128 * 1024, 256 * 1024, 512 * 1024];
/** Number of bytes to read for the calls of a long turn: 4 MiB. */
const turnBytes = 4 * 1024 * 1024;
const maxTitleChars = 200;

/**
 * Finds facts in the agent's transcript on this machine. An answer in the payload takes precedence, because the
 * transcript may be behind. If no transcript can be read in time, returns only facts from the payload.
 */
export const transcript = defineLookup({
  name: "transcript",
  summary: "Title, last answer, outcome, duration and tokens, from the agent's transcript on this machine.",
  budgetMs: 600,
  async find(call): Promise<FoundFacts> {
    const { event, signal } = call;
    const agent = agentNamed(event.agent);
    const facts = agent ? await Promise.race([readFacts(agent, call), resolveEmptyAt(signal)]) : {};
    const found = facts.lastMessage !== undefined && isEmptyAnswer(facts.lastMessage) ? undefined : facts.lastMessage;
    const lastMessage = event.lastMessage ?? found;
    const summary = summarize(lastMessage ?? "") || undefined;
    const payloadTitle = agent?.payload.title?.(event.extra)?.slice(0, maxTitleChars);
    const title = facts.title ?? (cleanLine(payloadTitle ?? "") || undefined);
    const tokens = facts.tokens ?? agent?.payload.usage?.(event.extra);
    return omitUndefined<FoundFacts>({ ...facts, title, tokens, lastMessage, summary });
  },
});

async function readFacts(agent: Agent, call: LookupCall<unknown>): Promise<FoundFacts> {
  const format = agent.transcript;
  const path = await findTranscript(call.event, agent, call.ports.files);
  if (!format || !path) return {};
  const facts = await read(path, format, call);
  if (!(await isTooEarly(path, agent, facts, call))) return facts;
  await call.ports.clock.wait(rereadDelayMs, call.signal);
  const later = await read(path, format, call);
  const isUnnamed = later.work === undefined && format.isLate && isVagueRequest(call.event, agent);
  return isUnnamed ? { ...later, work: { requests: [], calls: [], running: [] } } : later;
}

/**
 * Delay in milliseconds before a transcript that lacks the event's details is read again, because some agents write
 * them after the hook has run.
 */
const rereadDelayMs = 250;

/**
 * Checks if the event's details can only be in a transcript that is not written yet: the transcript's folder exists,
 * but the file does not. Copilot writes a session's first lines late.
 */
async function isUnwritten(path: string, agent: Agent, { event, ports }: LookupCall<unknown>): Promise<boolean> {
  const isNeeded = event.event === "Stop" ? event.lastMessage === undefined : isVagueRequest(event, agent);
  if (!isNeeded || !(await ports.files.isFolder(dirname(path)))) return false;
  return (await ports.files.sizeBytes(path)) === undefined;
}

/** Checks if a transcript lacks the event's details and should be read a second time. */
async function isTooEarly(path: string, agent: Agent, facts: FoundFacts, call: LookupCall<unknown>) {
  const { work, turnOutcome, turnMs } = facts;
  const { event, kind, atMs } = call.event;
  if (work === undefined) return isUnwritten(path, agent, call);
  if (event === "SessionEnd") return turnOutcome === undefined && work.startedAtMs !== undefined;
  if (kind === "needs-you") return isVagueRequest(call.event, agent) && work.requests.length === 0;
  return event === "Stop" && turnOutcome !== "interrupted" && (turnMs === undefined || lacksAnswer(atMs, work));
}

async function read(path: string, format: TranscriptFormat, call: LookupCall<unknown>): Promise<FoundFacts> {
  const { event, signal, isDoneWanted } = call;
  const { files } = call.ports;
  const companionPath = format.companion?.(path);
  const [sizeBytes = 0, head, companion] = await Promise.all([
    files.sizeBytes(path),
    files.readHead(path, headBytes),
    companionPath === undefined ? undefined : files.readTail(companionPath, companionBytes),
  ]);
  let facts: FoundFacts = {};
  for (const maxBytes of isDoneWanted ? [...tailBytes, turnBytes] : tailBytes) {
    const tail = signal.aborted ? undefined : await files.readTail(path, maxBytes);
    if (head === undefined || tail === undefined) break;
    facts = format.read({ head, tail, ...omitUndefined({ companion, isDoneWanted }) });
    const isAnswered = (event.lastMessage ?? facts.lastMessage) !== undefined && facts.turnMs !== undefined;
    const isEnough = isAnswered && (!isDoneWanted || facts.work?.startedAtMs !== undefined);
    if (isEnough || facts.messageCount !== undefined) break;
  }
  const did = isDoneWanted ? await countDone(facts, path, format, { event, files }) : undefined;
  facts = { ...facts, ...omitUndefined({ did }) };
  const known = facts.work ? { ...facts, readTo: { "": sizeBytes } } : facts;
  return withSubAgents(known, path, format, { event, files });
}

/** Resolves to no facts when the lookup's time is up, because reading a hanging network drive cannot be aborted. */
function resolveEmptyAt(signal: AbortSignal): Promise<FoundFacts> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve({});
    signal.addEventListener("abort", () => resolve({}), { once: true });
  });
}
