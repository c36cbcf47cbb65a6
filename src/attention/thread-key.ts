import { createHash } from "node:crypto";
import type { AgentEvent } from "../core/event.ts";

/**
 * Returns a session's unique key, 32 hexadecimal digits: a hash of host, agent and session id. If the session has no
 * id, its working directory is used instead.
 */
export function threadKey({
  host,
  agent,
  sessionId,
  cwd,
}: Pick<AgentEvent, "host" | "agent" | "sessionId" | "cwd">): string {
  return hashKey([host ?? "", agent, sessionId ?? `in ${cwd}`]);
}

/** Returns the thread key for a message about several sessions, made from the message's id. */
export function groupKey(id: string): string {
  return hashKey(["group", id]);
}

/** Returns a unique key for a session's messages at one notifier. */
export function notifierThreadKey(notifier: string, key: string): string {
  return JSON.stringify([notifier, key]);
}

function hashKey(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
