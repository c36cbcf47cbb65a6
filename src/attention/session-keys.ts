import { createHash } from "node:crypto";
import type { AgentEvent } from "../core/event.ts";
import type { JournalLine } from "../journal/journal-line.ts";

type Session = Pick<AgentEvent, "agent" | "sessionId" | "cwd">;

/** Identifies a session among those of its agent: by its id or, without an id, by its working directory. */
export function identifySession({ sessionId, cwd }: Session): string {
  return sessionId ?? `in ${cwd}`;
}

/** Returns the key of a session's turn: its events are accepted one after another. Ignores hosts, as judging does. */
export function turnKey(session: Session): string {
  return JSON.stringify([session.agent, identifySession(session)]);
}

/**
 * Returns the key of a session's alert and of its messages' thread, 32 hexadecimal digits: a hash of host, agent and
 * session. Unlike the session's id, it may be sent anywhere.
 */
export function threadKey({ host = "", ...session }: Session & Pick<AgentEvent, "host">): string {
  return hashKey([host, session.agent, identifySession(session)]);
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

/** Fields of a journal line or an alert that identify its session. */
export type JournalledSession = Pick<JournalLine, "agent" | "sessionId" | "project" | "host">;

/**
 * Returns the key of a session in the journal, which has no working directories: without a session id, the project
 * identifies it.
 */
export function journalKey({ host = "", agent = "", sessionId, project = "" }: JournalledSession): string {
  return `${host}\n${agent}\n${sessionId ?? `\n${project}`}`;
}
