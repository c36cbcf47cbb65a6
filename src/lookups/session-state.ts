import { agentNamed } from "../agents/registry.ts";
import { type Activity, type Alert, describeActivity } from "../attention/alert.ts";
import type { AgentState } from "../core/agent.ts";
import { parseObject } from "../core/json-value.ts";
import { findProcess } from "../files/process-table.ts";
import { readOwnText, withFile } from "../files/read-file.ts";

/** Maximum size of an agent's state file, in bytes: 64 KiB. The files have less than 2 KiB. */
const maxStateBytes = 64 * 1024;
/** Number of bytes to read from a transcript's end. */
const tailBytes = 64 * 1024;

/**
 * Reads what a running agent says about a session in a file of its own. Undefined without such a file, and for a file
 * that is a link, too large, another user's, another session's or left by an earlier process. Linux only, because the
 * process's start time must be known.
 */
export function readAgentState(alert: Alert): AgentState | undefined {
  const { agent, isRelayed, processes, agentStartTicks, transcriptPath, sessionId } = alert;
  const format = agentNamed(agent)?.transcript?.state;
  const pid = processes?.at(-1);
  if (!format || isRelayed || pid === undefined || !transcriptPath || agentStartTicks === undefined) return undefined;
  if (findProcess(pid)?.startTicks !== agentStartTicks) return undefined;
  const text = readOwnText(format.path(transcriptPath, pid), maxStateBytes);
  const found = text === undefined ? undefined : format.read(parseObject(text) ?? {});
  return found?.sessionId === sessionId && found?.startTicks === agentStartTicks ? found?.state : undefined;
}

/**
 * Describes what a session without open concerns does now: by its last event, unless its agent's state file or its
 * transcript says more. Pressing Esc, for example, fires no hook.
 */
export function readActivity(alert: Alert): Activity {
  const known = describeActivity(alert);
  if (known.state === "ended" || alert.isRelayed) return known;
  const said = readAgentState(alert);
  if (said && said.atMs > known.sinceMs) {
    if (said.status === "waiting") return { state: "dialog", sinceMs: said.atMs, waitingFor: said.waitingFor };
    if (said.status === "busy") return known.state === "working" ? known : { state: "working", sinceMs: said.atMs };
    if (known.state === "working") return { state: "idle", sinceMs: said.atMs };
  }
  const interruptedAtMs = known.state === "working" && !said ? findInterruption(alert) : undefined;
  return interruptedAtMs === undefined ? known : { state: "interrupted", sinceMs: interruptedAtMs };
}

/** Finds when the user interrupted the last turn, by the transcript, Unix milliseconds; undefined if it goes on. */
function findInterruption({ agent, transcriptPath = "", promptedAtMs = 0, lastAtMs }: Alert): number | undefined {
  const format = agentNamed(agent)?.transcript;
  if (!format) return undefined;
  return withFile(transcriptPath, ({ sizeBytes, read }) => {
    const tail = read(Math.max(0, sizeBytes - tailBytes), tailBytes).toString("utf8");
    const { turnOutcome, work } = format.read({ head: "", tail });
    // Before the prompt's line is written, the transcript ends with the turn before.
    const isOfTurn = (work?.startedAtMs ?? promptedAtMs) >= promptedAtMs - promptDelayMs;
    return turnOutcome === "interrupted" && isOfTurn ? (work?.saidAtMs ?? (promptedAtMs || lastAtMs)) : undefined;
  });
}

/** Longest time by which a prompt's line may be older than its event, in milliseconds. */
const promptDelayMs = 2_000;
