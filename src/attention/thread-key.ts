import { createHash } from "node:crypto";
import type { AgentEvent } from "../core/event.ts";

/**
 * Returns a session's unique key: 32 hexadecimal digits of host, agent and session, or of the working directory if the
 * session has no id.
 */
export function threadKey({
  host,
  agent,
  sessionId,
  cwd,
}: Pick<AgentEvent, "host" | "agent" | "sessionId" | "cwd">): string {
  return hashKey([host ?? "", agent, sessionId ?? `in ${cwd}`]);
}

/** Returns the key of a message about several sessions, by the message's own id. */
export function groupKey(id: string): string {
  return hashKey(["group", id]);
}

/** Returns the unique key of a session's messages at a notifier. */
export function notifierThreadKey(notifier: string, key: string): string {
  return JSON.stringify([notifier, key]);
}

function hashKey(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
