import { agentNamed } from "../agents/registry.ts";
import { threadKey } from "../attention/thread-key.ts";
import type { AgentEvent } from "../core/event.ts";
import type { ClockPort } from "../core/ports.ts";
import { explainExposure } from "../files/exposed-root.ts";
import type { Paths } from "../files/paths.ts";
import type { RunContext } from "../pipeline/context.ts";
import type { SpoolRecord } from "../spool/record.ts";
import { readOffSwitch } from "./ask-files.ts";
import { explainPresent } from "./explain-present.ts";
import { judgeRequest } from "./judge-request.ts";
import { KeyWatch } from "./key-watch.ts";
import { type HeldAsk, type HoldableRequest, isHookWaiting, maxOpen } from "./open-asks.ts";
import { countRequest } from "./request-rate.ts";

interface Holder {
  readonly paths: Pick<Paths, "root" | "asks" | "state">;
  readonly open: ReadonlyMap<string, HeldAsk>;
  readonly clock: ClockPort;
}

/**
 * Decides if a permission request may be answered outside the agent. Returns the request, or the reason why only the
 * agent's own dialog can answer it.
 */
export async function decideHold(
  record: SpoolRecord,
  event: AgentEvent,
  { paths, open, clock }: Holder,
  context: RunContext,
): Promise<HoldableRequest | string> {
  if (readOffSwitch(paths)) return "answers are switched off";
  const judged = judgeRequest(record, event, context.config.answers, await readTranscriptTail(event, context));
  if ("reason" in judged) return judged.reason;
  if (!isHookWaiting({ hook: { pid: record.header.hook ?? 0 } })) return "its hook has ended";
  const exposure = explainExposure(
    paths,
    [event.cwd, event.projectDir].filter((folder) => folder !== undefined),
  );
  if (exposure !== undefined) return exposure;
  const keys = judged.isSerial ? new KeyWatch(event, context.ports) : undefined;
  const presence = await explainPresent(event, keys, context);
  if (presence !== undefined) return presence;
  const thread = threadKey(event);
  if (!countRequest(paths, thread, clock.now())) return "the session asked too often within ten minutes";
  const openNow = [...open.values()].filter((ask) => ask.thread === thread).length;
  return openNow >= maxOpen ? `the session already has ${maxOpen} open requests` : { ...judged, keys };
}

/** Part of the transcript that is searched for the call, in bytes. */
const tailBytes = 512 * 1024;

/** Reads the end of the transcript if the agent's payloads are incomplete. */
async function readTranscriptTail({ agent, transcriptPath }: AgentEvent, { config, ports }: RunContext) {
  const hook = agentNamed(agent)?.permissionHook;
  const isRead = config.answers?.agents.includes(agent) && typeof hook === "object" && hook.findOmitted !== undefined;
  return isRead && transcriptPath !== undefined ? ports.files.readTail(transcriptPath, tailBytes) : undefined;
}
