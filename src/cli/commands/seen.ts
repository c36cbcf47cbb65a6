import { existsSync } from "node:fs";
import type { Alert } from "../../attention/alert.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { seenEvent } from "../../core/vocabulary.ts";
import { newId, put, waitUntilSettled } from "../../spool/put.ts";
import { encodeRecord } from "../../spool/record.ts";
import { wake } from "../../spool/wake.ts";
import { readSessions, saidIn, sessionsNamed, type Waiting, waitingIn } from "../attention/sessions.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { CommandError } from "../errors.ts";
import { shortDuration } from "../local-time.ts";
import { requireOwnRoot } from "../require-own-root.ts";
import { say } from "../say.ts";

/** `beckon seen`: what waits for the person is over. */
export const registerSeen: RegisterCommand = (command, run) => {
  command
    .argument("[session]", "the beginning of a session's id, or a project's name; without it, everything that waits")
    .option("--json", "print one JSON object")
    .action((session: string | undefined, options: SeenOptions) =>
      run((context) => runSeen(session, options, context)),
    );
};

interface SeenOptions {
  readonly json?: boolean;
}

/** How long to wait until the worker has resolved it, milliseconds. */
const settleMs = 5_000;

async function runSeen(session: string | undefined, { json }: SeenOptions, context: CliContext): Promise<number> {
  const { paths, print } = context;
  const nowMs = context.now?.() ?? Date.now();
  requireOwnRoot(context);
  const all = readSessions(paths, nowMs);
  const meant = session === undefined ? all : sessionsNamed(all, session);
  if (session !== undefined && meant.length === 0) {
    throw new CommandError(`no session ${session}`, "`beckon sessions` lists them.");
  }
  const waiting = waitingIn(meant);
  const ids = [...new Set(waiting.map(({ alert }) => alert))].map((alert) => putSeen(alert, context));
  if (ids.length > 0) await wake(paths);
  const hasWorker = existsSync(paths.worker);
  if (hasWorker) await Promise.all(ids.map((id) => waitUntilSettled(paths.spool, id, settleMs)));
  const over = waiting.filter((one) => !isStillOpen(one, waitingIn(readSessions(paths, nowMs))));
  if (json) {
    print(JSON.stringify({ seen: over.map(idOf), pending: waiting.filter((one) => !over.includes(one)).map(idOf) }));
    return 0;
  }
  if (waiting.length === 0) say("Nothing waits for you.", context);
  for (const one of over) say(`seen: ${lineOn(one, nowMs)}`, context, 2);
  if (over.length < waiting.length) {
    const left = waiting.length - over.length;
    const cure = hasWorker
      ? "The worker does it as soon as it can."
      : "No worker is installed: `beckon flush` does it.";
    say(`${left} noted, not over yet. ${cure}`, context, 2);
  }
  return 0;
}

/** Puts a record into the spool that says that the person has seen a session. Returns its id. */
function putSeen({ agent, cwd, sessionId }: Alert, { paths }: CliContext): string {
  const id = newId();
  const header = { v: 1 as const, event: seenEvent, agent, ...omitUndefined({ cwd }) };
  const payload = JSON.stringify(omitUndefined({ session_id: sessionId }));
  put(paths.spool, id, encodeRecord(header, Buffer.from(payload)));
  return id;
}

function isStillOpen({ alert, concern }: Waiting, waiting: readonly Waiting[]): boolean {
  return waiting.some((one) => one.alert.key === alert.key && one.concern.id === concern.id);
}

function idOf({ alert: { agent, sessionId, project }, concern: { id, kind } }: Waiting) {
  return { id, kind, agent, project, ...omitUndefined({ sessionId }) };
}

/** `shop · claude, needs-you for 3 min: Bash: git push` */
function lineOn({ alert: { project, agent }, concern }: Waiting, nowMs: number): string {
  const waited = shortDuration(nowMs - concern.atMs);
  const said = saidIn(concern);
  return `${project} · ${agent}, ${concern.kind} for ${waited}${said === "" ? "" : `: ${said}`}`;
}
