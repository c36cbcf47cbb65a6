import { omitUndefined } from "../core/omit-undefined.ts";
import { seenEvent } from "../core/vocabulary.ts";
import { newId, put } from "./put.ts";
import { encodeRecord } from "./record.ts";

/** Stores a record in the spool which says that the user has seen a session. Returns the record's id. */
export function putSeen(
  spool: string,
  {
    agent,
    cwd,
    sessionId,
  }: { readonly agent: string; readonly cwd?: string | undefined; readonly sessionId?: string | undefined },
): string {
  const id = newId();
  const header = { v: 1 as const, event: seenEvent, agent, ...omitUndefined({ cwd }) };
  const payload = JSON.stringify(omitUndefined({ session_id: sessionId }));
  put(spool, id, encodeRecord(header, Buffer.from(payload)));
  return id;
}
