import { cli } from "../agents/cli.ts";
import { CommandError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { recordedTerminal } from "../core/terminal-environment.ts";
import type { Kind } from "../core/vocabulary.ts";
import type { Paths } from "../files/paths.ts";
import { findCallers } from "../files/process-table.ts";
import { makeSpool, newId, put } from "../spool/put.ts";
import { encodeRecord, type RecordHeader } from "../spool/record.ts";
import { wake } from "../spool/wake.ts";
import { requireInstalled } from "./require-own-root.ts";

/** Message that one of beckon's own commands sends. The worker cleans and cuts its texts, as those of agents. */
export interface OwnMessage {
  readonly kind: Kind;
  /** Title of the message. */
  readonly title?: string | undefined;
  /** Name of a command that has ended, in place of a title. */
  readonly program?: string | undefined;
  /** Text below the title. */
  readonly body?: string | undefined;
  /** Reason of a failure. */
  readonly reason?: string | undefined;
  /** Time that a command took, in milliseconds. */
  readonly turnMs?: number | undefined;
  /** Session of the message; default: a session of its own. */
  readonly sessionId?: string | undefined;
  /** Absolute path of the project's folder; it need not exist. */
  readonly folder: string;
  /** Notifiers in place of those that the routes choose. */
  readonly to?: readonly string[] | undefined;
}

/** Longest text of a message that is stored, in UTF-16 units: a record may have 1 MiB. */
export const maxBodyChars = 64 * 1024;

/**
 * Stores a message in the spool, as hooks do, and wakes the worker.
 * @throws {CommandError} if beckon is not installed or is switched off; the system's error if the spool is not writable
 */
export async function sendMessage(
  { kind, title, program, body, reason, turnMs, sessionId, folder, to }: OwnMessage,
  { paths, env }: { readonly paths: Paths; readonly env: NodeJS.ProcessEnv },
): Promise<{ readonly id: string; readonly sessionId: string }> {
  if (env["BECKON_DISABLE"] === "1")
    throw new CommandError("BECKON_DISABLE=1 switches beckon off here, so nothing was sent", "Unset BECKON_DISABLE.");
  requireInstalled({ paths });
  const id = newId();
  const header = omitUndefined<RecordHeader>({
    v: 1,
    event: kind,
    agent: cli.name,
    cwd: folder,
    ...findCallers(),
    terminal: recordedTerminal(env),
    to,
  });
  const session = sessionId ?? id;
  const payload = {
    ...{ session_id: session, turn_id: id, title, program, reason, turn_ms: turnMs },
    message: body?.slice(0, maxBodyChars),
  };
  makeSpool(paths.spool);
  put(paths.spool, id, encodeRecord(header, Buffer.from(JSON.stringify(payload))));
  await wake(paths);
  return { id, sessionId: session };
}
