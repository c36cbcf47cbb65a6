import { createHash } from "node:crypto";
import type { AgentEvent } from "../core/event.ts";

/**
 * What tells a session from all others: 32 hexadecimal digits of host, agent and session, or of the working directory
 * for a session without an id.
 */
export function threadKey({
  host,
  agent,
  sessionId,
  cwd,
}: Pick<AgentEvent, "host" | "agent" | "sessionId" | "cwd">): string {
  return keyOf([host ?? "", agent, sessionId ?? `in ${cwd}`]);
}

/** The key of a message that tells of several sessions, by the message's own id. */
export function groupKey(id: string): string {
  return keyOf(["group", id]);
}

/** What tells the messages of a session at a notifier from all others. */
export function threadAt(notifier: string, key: string): string {
  return JSON.stringify([notifier, key]);
}

function keyOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
