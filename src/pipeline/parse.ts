import { isAbsolute } from "node:path";
import { agentNamed, agents, fallbackAgent } from "../agents/registry.ts";
import { isSampleSession } from "../attention/session-memory.ts";
import { type Agent, type Payload, type PayloadFact, readCallId } from "../core/agent.ts";
import { InputError } from "../core/errors.ts";
import { type AgentEvent, isOwnMessage, ownAgent } from "../core/event.ts";
import { extractErrorText } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { promptSkipReason } from "../core/prompt-author.ts";
import { usageLimitSchema } from "../core/usage-limit.ts";
import { answerEvent, limitEvent, promptEvent } from "../core/vocabulary.ts";
import { expandHome, folderName } from "../files/paths.ts";
import type { Claim } from "../spool/claim.ts";
import type { RecordHeader, SpoolRecord } from "../spool/record.ts";
import { clean, cleanLine } from "../text/clean.ts";
import { mapTexts } from "../text/map-texts.ts";
import { describeRequests } from "../text/request.ts";
import { isEmptyAnswer } from "../text/summary.ts";
import type { RunContext } from "./context.ts";
import type { KnownEvent } from "./judge.ts";
import { readBeginning, readPayload } from "./read-payload.ts";
import type { ReadStates } from "./read-relayed.ts";

/**
 * Reads an event, or states from another machine, from a spool record. Undefined if the record is rejected; the reason
 * is then journalled.
 * @param atMs arrival time, Unix milliseconds
 */
export async function readRecord(
  record: SpoolRecord | undefined,
  claim: Claim,
  atMs: number,
  { journal, ports }: Pick<RunContext, "journal" | "ports">,
): Promise<KnownEvent | ReadStates | undefined> {
  try {
    if (!record) throw new InputError("input.torn", "not a whole spool record");
    if (record.header.v === 2) return (await import("./read-relayed.ts")).readRelayed(record, claim.id);
    const event = { ...parse(record, claim.id, atMs), ...omitUndefined({ host: ports.host.elsewhere() }) };
    return { event, facts: {} };
  } catch (error) {
    const reason = error instanceof InputError ? `${error.code}: ${error.message}` : "a fault in reading it";
    const { event, agent, host } = record?.header ?? {};
    journal.write({ id: claim.id, ...omitUndefined({ event, agent, host }), status: "rejected", reason });
    return undefined;
  }
}

/** Maximum lengths in UTF-16 units. A longer text is cut before it is processed further. */
const maxChars = { text: 256 * 1024, word: 200, path: 4096 } as const;

/**
 * Converts a spool record to an event. Every payload field is optional; a field of the wrong type counts as absent. An
 * empty payload is valid too, because the launcher's arguments name the event. Drops the text of a prompt or an answer.
 */
export function parse(record: SpoolRecord, id: string, atMs: number): AgentEvent {
  try {
    return parsePayload(readPayload(record), record.header, { id, atMs });
  } catch (error) {
    if (!(error instanceof InputError && error.code === "input.too_large")) throw error;
    const event = parsePayload(readBeginning(record), record.header, { id, atMs });
    if (event.kind === "info") throw error;
    const subject = { "needs-you": "A request", failed: "An error", finished: "An answer" }[event.kind];
    return { ...event, message: `${subject} too large to show` };
  }
}

function parsePayload(
  payload: Payload,
  header: RecordHeader,
  { id, atMs }: Pick<AgentEvent, "id" | "atMs">,
): AgentEvent {
  const agent = findAgent(header, payload);
  const readText = (fact: PayloadFact) => readFact(payload, fact, agent);
  const readWord = (fact: PayloadFact) => cleanWord(readText(fact));
  const nativeEvent = readWord("nativeEvent") ?? header.event;
  const cwd = cleanPath(readText("cwd")) ?? cleanPath(header.cwd);
  const answer = cleanText(readText("answer"));
  const event: AgentEvent = {
    id,
    atMs,
    nativeEvent,
    agent: agent?.name ?? header.agent ?? "unknown",
    ...classifyNativeEvent(agent ?? fallbackAgent, nativeEvent, readWord("notificationType"), readWord("reason")),
    project: cwd === undefined ? "unknown" : folderName(cwd),
    ...readMessage(payload, agent, cwd),
    ...omitUndefined({
      projectDir: agent?.projectVariables?.map((name) => header.projects?.[name]).find((path) => path !== undefined),
      sessionId: readWord("sessionId"),
      turnId: readWord("turnId"),
      cwd,
      notificationType: readWord("notificationType"),
      ...readOwnParts(agent, payload),
      reason: readWord("reason"),
      limit: nativeEvent === limitEvent ? usageLimitSchema().safeParse(payload.limit).data : undefined,
      lastMessage:
        answer === undefined || answer === agent?.payload.noAnswer || isEmptyAnswer(answer) ? undefined : answer,
      transcriptPath: absolutePath(readText("transcriptPath")),
      processes: header.processes,
      callers: header.callers,
      terminal: header.terminal,
      // A sample or a message of beckon's own commands may name its notifiers.
      to: agent?.name === ownAgent || isSampleSession(readWord("sessionId")) ? header.to : undefined,
      isAwaited: header.wait === undefined ? undefined : (true as const),
    }),
    extra: payload,
  };
  const dialog = agent?.readDialog?.(event);
  const skip = agent?.skipReason?.(event);
  if (event.event === promptEvent) {
    return { ...withoutTexts(event), ...omitUndefined({ skip: skip ?? promptSkipReason(payload) }) };
  }
  if (event.event === answerEvent) {
    return { ...withoutTexts(event), extra: omitUndefined({ tool_call_id: readCallId(payload) }) };
  }
  const kind = agent?.classify?.(event) ?? event.kind;
  return {
    ...event,
    kind,
    ...(kind === "failed" && !isOwnMessage(event) ? errorTexts(event) : {}),
    ...omitUndefined({ dialog, skip }),
  };
}

/** Reads the agent's message, or describes what it asks for, as far as possible in the agent's own format. */
function readMessage(
  payload: Payload,
  agent: Agent = fallbackAgent,
  cwd?: string,
): Pick<AgentEvent, "message" | "brief"> {
  const own = agent.payload.request?.(payload);
  const given = own ? undefined : cleanText(readFact(payload, "message", agent));
  if (given !== undefined) return { message: given };
  const request = own ?? agents.map((other) => other.payload.request?.(payload)).find((found) => found !== undefined);
  return request ? mapTexts(describeRequests([request], cwd), (text) => cleanText(text) ?? "") : {};
}

function readOwnParts(agent: Agent | undefined, payload: Payload) {
  const { headline, program, turnMs } = agent?.payload.own?.(payload) ?? {};
  return { headline: cleanWord(headline), program: cleanWord(program), turnMs };
}

/** Copies an event without its texts, with only its identity, place and time. */
function withoutTexts(event: AgentEvent): AgentEvent {
  const { id, atMs, nativeEvent, agent, kind, project, sessionId, turnId, cwd, transcriptPath, processes } = event;
  const { terminal, isAwaited, projectDir, callers } = event;
  const places = { cwd, projectDir, transcriptPath, processes, callers, terminal };
  const known = omitUndefined({ sessionId, turnId, isAwaited, ...places });
  return { id, atMs, event: event.event, nativeEvent, agent, kind, project, ...known, extra: {} };
}

/** Extracts the error messages from a failure's texts, which may contain a model service's JSON reply. */
function errorTexts({ message, lastMessage }: AgentEvent): Partial<AgentEvent> {
  const words = (text: string | undefined) => (text === undefined ? undefined : extractErrorText(text) || text);
  return omitUndefined({ message: words(message), lastMessage: words(lastMessage) });
}

/**
 * Determines which agent sent an event. The `--agent` argument names the agent, unless another agent ran the hook from
 * that agent's settings. Without `--agent`, the payload decides. Undefined for an unknown agent.
 */
function findAgent(header: RecordHeader, payload: Payload): Agent | undefined {
  const named = header.agent;
  const runsItsHooks = ({ settings }: Agent) => settings?.alsoRuns?.some(({ agent }) => agent === named) ?? false;
  const runner = agents.find((agent) => (named === undefined || runsItsHooks(agent)) && agent.recognizes?.(payload));
  return runner ?? agentNamed(named ?? "") ?? guessAgent(payload, header.event);
}

/** Guesses the agent from the transcript's path, then from a native event that only one agent has. */
function guessAgent(payload: Payload, event: string): Agent | undefined {
  const path = readFact(payload, "transcriptPath")?.replaceAll("\\", "/");
  const byTranscript = agents.find(({ transcriptPathHint }) => path?.includes(transcriptPathHint));
  if (byTranscript) return byTranscript;
  const nativeEvent = readFact(payload, "nativeEvent") ?? event;
  const byNativeEvent = agents.filter(({ nativeEvents }) => Object.hasOwn(nativeEvents, nativeEvent));
  return byNativeEvent.length === 1 ? byNativeEvent[0] : undefined;
}

/**
 * Reads a fact from a payload in the agent's own format, or else in any other agent's format, because a hook that was
 * copied from another agent's settings may name the wrong agent.
 */
function readFact(payload: Payload, fact: PayloadFact, agent: Agent = fallbackAgent): string | undefined {
  for (const { fields, readers } of [agent, fallbackAgent, ...agents].map((known) => known.payload)) {
    const text = firstField(payload, fields[fact]) ?? readers?.[fact]?.(payload);
    if (text !== undefined) return text;
  }
  return undefined;
}

function firstField(payload: Payload, names: readonly string[] = []): string | undefined {
  for (const name of names) {
    const camelCase = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    for (const spelling of [name, camelCase, name.replaceAll("_", "-")]) {
      const value = Object.hasOwn(payload, spelling) ? payload[spelling] : undefined;
      if (typeof value === "string" && value.trim() !== "") return value;
    }
  }
  return undefined;
}

/** Maps a native event to an event and a kind. An unknown native event keeps its name and has the kind `info`. */
function classifyNativeEvent(
  { nativeEvents, notificationKinds = {} }: Agent,
  nativeEvent: string,
  type: string | undefined,
  reason: string | undefined,
): Pick<AgentEvent, "event" | "kind"> {
  const mapping = Object.hasOwn(nativeEvents, nativeEvent) ? nativeEvents[nativeEvent] : undefined;
  if (!mapping) return { event: nativeEvent, kind: "info" };
  const { event } = mapping;
  if (event === "Notification" && type !== undefined && Object.hasOwn(notificationKinds, type)) {
    return { event, kind: notificationKinds[type] ?? mapping.kind };
  }
  return { event, kind: event === "SessionEnd" && reason === "error" ? "failed" : mapping.kind };
}

/** Reduces a text to a single line of at most 200 characters; undefined if nothing is left. */
function cleanWord(text: string | undefined): string | undefined {
  return cleanLine(text?.slice(0, maxChars.word) ?? "") || undefined;
}

function cleanText(text: string | undefined): string | undefined {
  return clean(text?.slice(0, maxChars.text) ?? "").trim() || undefined;
}

/** Cleans and cuts a path. Keeps spaces at both ends, because routes compare the path with folders on disk. */
function cleanPath(path: string | undefined): string | undefined {
  const cleaned = clean(path?.slice(0, maxChars.path) ?? "").replace(/[\n\t]/g, " ");
  return cleaned.trim() === "" ? undefined : cleaned;
}

function absolutePath(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const expanded = expandHome(path);
  return isAbsolute(expanded) && !expanded.includes("\0") ? expanded : undefined;
}
