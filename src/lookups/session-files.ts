import { basename, isAbsolute, join } from "node:path";
import { agentNamed } from "../agents/registry.ts";
import type { Agent, PromptAuthor, TranscriptFormat } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts, FoundFacts, ReadTo, TurnWork } from "../core/facts.ts";
import type { FilesPort } from "../core/ports.ts";
import { expandHome, homeDirectory } from "../files/paths.ts";
import type { AgentRequest } from "../text/request.ts";

const indexBytes = 256 * 1024;

/** Finds a session's transcript, by its path in the payload or in the agent's own folder. */
export async function findTranscript(event: AgentEvent, agent: Agent, files: FilesPort): Promise<string | undefined> {
  const named = event.transcriptPath ?? (await findOwnPath(event, agent, files));
  return resolveLocalPath(named);
}

/** Finds the transcript's path in the agent's own folder, by the session's id or by the agent's index of sessions. */
async function findOwnPath({ sessionId }: AgentEvent, { transcript, settings }: Agent, files: FilesPort) {
  if (!transcript || !settings || sessionId === undefined) return undefined;
  const { env, platform } = process;
  const folder = settings.folder({ home: homeDirectory(env), project: "/", env, platform });
  if (transcript.findPath) return /^[\w-]+$/.test(sessionId) ? transcript.findPath(folder, sessionId) : undefined;
  if (!transcript.index) return undefined;
  const text = await files.readTail(join(folder, transcript.index.name), indexBytes);
  return text === undefined ? undefined : transcript.index.find(text, sessionId);
}

/** Returns a transcript's path if it is absolute and on this machine, otherwise undefined. */
function resolveLocalPath(named: string | undefined): string | undefined {
  const path = named && expandHome(named);
  if (path === undefined || !isAbsolute(path) || path.includes("\0")) return undefined;
  // On Windows, opening a network path logs on to the machine in the path.
  return process.platform === "win32" && /^[\\/]{2}/.test(path) ? undefined : path;
}

/** Maximum number of sub-agents, newest first, whose transcripts are searched for requests. */
const maxSubAgents = 8;
const subAgentBytes = 128 * 1024;

/** Transcript of a session and its format, which has sub-agents' transcripts. */
interface Session {
  readonly path: string;
  readonly subAgents: NonNullable<TranscriptFormat["subAgents"]>;
  readonly files: FilesPort;
}

/** Adds the calls and requests of the sub-agents that may ask to the facts about a request. */
export async function withSubAgents(
  facts: FoundFacts,
  path: string,
  format: TranscriptFormat,
  { event, files }: { readonly event: AgentEvent; readonly files: FilesPort },
): Promise<FoundFacts> {
  const { subAgents } = format;
  const { work = { requests: [], calls: [], running: [] }, readTo } = facts;
  if (!subAgents || event.kind !== "needs-you") return facts;
  const asking = await findAsking(event, work, { path, subAgents, files });
  const found = await Promise.all(
    asking.map(async ([agent, file]) => {
      const sizeBytes = (await files.sizeBytes(file)) ?? 0;
      const text = await files.readTail(file, subAgentBytes);
      return { agent, sizeBytes, work: markCalls(agent, readSubAgent(text ?? "", format)) };
    }),
  );
  if (found.length === 0) return facts;
  const asked = found.flatMap(({ work }) => work.requests);
  const calls = found.flatMap(({ work }) => work.calls);
  // A call that started a sub-agent asks for nothing.
  const { spawns = [] } = work;
  const isOwn = (request: AgentRequest) => asked.length === 0 || !spawns.some(({ asks }) => asks === request);
  const ownCalls = work.calls.filter(({ id }) => calls.length === 0 || !spawns.some((spawn) => spawn.id === id));
  return {
    ...facts,
    work: { ...work, requests: [...work.requests.filter(isOwn), ...asked], calls: [...calls, ...ownCalls] },
    readTo: { ...readTo, ...Object.fromEntries(found.map(({ agent, sizeBytes }) => [agent, sizeBytes])) },
  };
}

/**
 * Finds the transcripts of the sub-agents that may have asked, by id: the one that the payload names; or, if the
 * payload names no tool either, those that are running or have worked in this turn.
 */
async function findAsking(event: AgentEvent, work: TurnWork, session: Session): Promise<(readonly [string, string])[]> {
  const { agent_id: named, tool_name: tool } = event.extra;
  if (typeof named === "string" && isId(named)) return [[named, await findSubAgent(named, session)]];
  const running = work.running.flatMap(({ id, of }) => (of === "agent" && isId(id) ? [id] : []));
  const mayAsk = running.length > 0 || work.requests.length === (work.spawns?.length ?? 0);
  if (tool !== undefined || !mayAsk) return [];
  const listed = await listSubAgents(session, session.subAgents);
  const recent = listed.filter(({ modifiedAtMs }) => modifiedAtMs >= (work.startedAtMs ?? 0));
  const asking = new Map(recent.slice(0, maxSubAgents).map(({ id, path }) => [id, path]));
  for (const id of running.slice(-maxSubAgents)) {
    const known = listed.find((file) => file.id === id)?.path;
    asking.set(id, known ?? session.subAgents.findPath(session.path, id));
  }
  return [...asking];
}

function isId(text: string): boolean {
  return /^[\w-]+$/.test(text);
}

/** Lists the transcripts of a session's sub-agents, newest first. */
async function listSubAgents(
  { path, files, sessionId = "" }: Omit<Session, "subAgents"> & { readonly sessionId?: string },
  { folder, fileName }: Partial<Pick<NonNullable<TranscriptFormat["workers"]>, "folder" | "fileName">>,
) {
  const listed = folder && fileName ? await files.listFiles(folder(path, sessionId)) : [];
  const named = listed.flatMap((file) => {
    const id = fileName?.exec(basename(file.path))?.[1];
    return id === undefined ? [] : [{ ...file, id }];
  });
  return named.toSorted((a, b) => b.modifiedAtMs - a.modifiedAtMs);
}

async function findSubAgent(id: string, session: Session): Promise<string> {
  const path = session.subAgents.findPath(session.path, id);
  if ((await session.files.sizeBytes(path)) !== undefined) return path;
  return (await listSubAgents(session, session.subAgents)).find((file) => file.id === id)?.path ?? path;
}

/** Number of bytes to read for the first line, which in Codex's record has instructions of 22 KB. */
const workerHeadBytes = 128 * 1024;
const workerBytes = 1024 * 1024;

/**
 * Counts what a session's turn and its sub-agents did. Undefined if the beginning of the turn was not read, because the
 * counts would be too low.
 */
export async function countDone(
  { work }: FoundFacts,
  path: string,
  format: TranscriptFormat,
  { event, files }: { readonly event: AgentEvent; readonly files: FilesPort },
): Promise<Facts["did"]> {
  const { startedAtMs, done } = work ?? {};
  if (work === undefined || startedAtMs === undefined || done === undefined) return undefined;
  const workers = await findWorkers({ path, files, sessionId: event.sessionId ?? "" }, work, format);
  const texts = await Promise.all(workers.map((worker) => files.readTail(worker, workerBytes)));
  const calls = [...done.calls, ...texts.flatMap((text = "") => readSubAgent(text, format, true).done?.calls ?? [])];
  const own = calls.filter(({ atMs }) => atMs >= startedAtMs);
  const edited = own.flatMap(({ file }) => file ?? []);
  return { files: new Set(edited).size, commands: own.length - edited.length };
}

/** Finds the transcripts of the sub-agents that have worked in a session's turn. */
async function findWorkers(
  { path, files, sessionId }: Omit<Session, "subAgents"> & { readonly sessionId: string },
  { startedAtMs = 0, done }: TurnWork,
  { workers, subAgents }: TranscriptFormat,
): Promise<readonly string[]> {
  const source = workers ?? subAgents;
  if (!source?.folder) return (done?.agents ?? []).filter(isId).map((id) => subAgents?.findPath(path, id) ?? "");
  const listed = await listSubAgents({ path, files, sessionId }, source);
  const recent = listed.filter((file) => file.modifiedAtMs >= startedAtMs && file.path !== path);
  const found = recent.map(async (file) => {
    const [, parent = ""] = workers?.parent?.exec((await files.readHead(file.path, workerHeadBytes)) ?? "") ?? [];
    const isOwn = !workers?.parent || (isId(parent) && basename(path).includes(parent));
    return isOwn ? [file.path] : [];
  });
  return (await Promise.all(found)).flat();
}

function readSubAgent(text: string, { subAgents, read }: TranscriptFormat, isDoneWanted = false): TurnWork {
  return subAgents?.read?.(text, isDoneWanted) ?? read({ head: "", tail: text, isDoneWanted }).work ?? joinWorks([]);
}

/** Marks calls as a sub-agent's, so that no other agent's result answers them. */
function markCalls(agent: string, { requests, running, calls, answered = [] }: TurnWork): TurnWork {
  const mark = (id: unknown) => `${agent}/${id}`;
  const marked = calls.map((call) => ({ ...call, agent, id: mark(call.id) }));
  return { requests, running, calls: marked, answered: answered.map(mark) };
}

/** Number of bytes to parse in one step: 1 MiB. */
const stepBytes = 1024 * 1024;
/** Number of steps in one look; the next look goes on from there. */
const maxSteps = 16;

/**
 * Reads what was added to a session's transcripts since `readTo`, line by line, in steps.
 * @returns the calls and the ids of all answered calls; the times of the session's own work
 */
export async function readOn(
  event: AgentEvent,
  readTo: ReadTo,
  files: FilesPort,
): Promise<Required<Pick<FoundFacts, "work" | "readTo">>> {
  const agent = agentNamed(event.agent);
  const format = agent?.transcript;
  const path = agent && (await findTranscript(event, agent, files));
  const works: TurnWork[] = [];
  const ends: Record<string, number> = { ...readTo };
  if (!format || path === undefined) return { work: joinWorks(works), readTo };
  const { subAgents } = format;
  const readWork = (id: string, text: string) =>
    id === "" ? format.read({ head: "", tail: text }).work : markCalls(id, readSubAgent(text, format));
  for (const [id, offset] of Object.entries(readTo)) {
    const file = id === "" || !subAgents ? path : await findSubAgent(id, { path, subAgents, files });
    for await (const { text, end } of readSteps(file, offset, files)) {
      works.push(readWork(id, text) ?? joinWorks([]));
      ends[id] = end;
    }
  }
  return { work: joinWorks(works), readTo: ends };
}

async function* readSteps(path: string, offset: number, files: FilesPort) {
  let end = offset;
  for (let step = 0; step < maxSteps && (await files.sizeBytes(path)) !== end; step += 1) {
    const part = await files.readFrom(path, end, stepBytes);
    if (!part) return;
    yield part;
    if (part.text === "") return;
    end = part.end;
  }
}

function joinWorks(works: readonly TurnWork[]): TurnWork {
  return {
    ...{ requests: [], running: [] },
    calls: works.flatMap(({ calls }) => calls),
    answered: works.flatMap(({ answered = [] }) => answered),
    ...(works.some(({ isReplyToMate }) => isReplyToMate) && { isReplyToMate: true as const }),
    ...(works.some(({ isInterrupted }) => isInterrupted) && { isInterrupted: true as const }),
    startedAtMs: Math.max(0, ...works.map(({ startedAtMs = 0 }) => startedAtMs)),
    saidAtMs: Math.max(0, ...works.map(({ saidAtMs = 0 }) => saidAtMs)),
  };
}

/** Numbers of bytes to read from the transcript's end until they include the beginning of the prompt. */
const promptBytes = [64 * 1024, 512 * 1024, 4 * 1024 * 1024];

/**
 * Finds the author of a prompt in a transcript. The program adds lines of its own to a user's prompt, so they prove
 * nothing unless all lines of the prompt were read.
 * @returns `unknown` if it is not recorded yet; undefined if there is no record
 */
export async function readPromptAuthor(
  { agent, turnId, transcriptPath }: AgentEvent,
  files: FilesPort,
): Promise<PromptAuthor | "unknown" | undefined> {
  const format = agentNamed(agent)?.transcript;
  if (!format?.promptAuthor || turnId === undefined || transcriptPath === undefined) return undefined;
  for (const maxBytes of promptBytes) {
    const sizeBytes = await files.sizeBytes(transcriptPath);
    const tail = await files.readTail(transcriptPath, maxBytes);
    if (sizeBytes === undefined || tail === undefined) return undefined;
    const { author, hasEarlier } = format.promptAuthor(tail, turnId);
    if (author === "person" || hasEarlier || sizeBytes <= maxBytes) return author ?? "unknown";
  }
  return "unknown";
}
