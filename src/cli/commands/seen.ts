import type { Request } from "../../../docs/output.d.ts";
import { requireOwnRoot } from "../../actions/require-own-root.ts";
import { markSeen } from "../../actions/seen.ts";
import { agentTitle } from "../../agents/registry.ts";
import {
  distinguish,
  findSessions,
  listWaiting,
  readSessions,
  summarizeConcern,
  type Waiting,
} from "../../attention/sessions.ts";
import { CommandError, UsageError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { cleanLine } from "../../text/clean.ts";
import { joinNames, shortDuration } from "../../text/time.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { terminalDialog } from "../dialog.ts";
import { type JsonOption, jsonLine } from "../output/json-line.ts";
import { say } from "../say.ts";

/** Declares `beckon seen`: marks waiting sessions as seen. */
export const registerSeen: RegisterCommand = (command, run) => {
  command
    .argument("[session]", "start of a session id, or a project name; default: the only waiting session")
    .option("--all", "all waiting sessions, without asking")
    .option("--json", "print one JSON object")
    .action((session: string | undefined, options: SeenOptions) =>
      run((context) => runSeen(session, options, context)),
    );
};

interface SeenOptions extends JsonOption {
  readonly all?: boolean;
}

async function runSeen(session: string | undefined, options: SeenOptions, context: CliContext): Promise<number> {
  const { paths, print } = context;
  const { json } = options;
  if (session !== undefined && options.all) throw new UsageError("--all takes no session", "Leave out one of them.");
  const nowMs = context.now();
  requireOwnRoot(context);
  const all = readSessions(paths, nowMs);
  const meant = session === undefined ? all : findSessions(all, session);
  if (session !== undefined && meant.length === 0) {
    throw new CommandError(`no session ${session}`, "To list the sessions: beckon sessions");
  }
  const waiting = listWaiting(meant);
  if (session === undefined && !(await mayClearAll(waiting, options, context))) return 1;
  const { resolved, unresolved, hasWorker } = await markSeen(waiting, paths, nowMs);
  if (json) {
    print(jsonLine({ seen: resolved.map(toJson), pending: unresolved.map(toJson) }));
    return 0;
  }
  if (waiting.length === 0) say(describeNothing(session, listWaiting(all)), context);
  for (const item of resolved) say(`seen: ${formatLine(item, nowMs)}`, { ...context, nameCommands: undefined }, 2);
  if (unresolved.length > 0) {
    const cure = hasWorker
      ? "The worker clears them as soon as it can."
      : "No worker is installed. To clear them now: beckon flush";
    say(`${unresolved.length} marked as seen but not cleared yet. ${cure}`, context, 2);
  }
  return 0;
}

/** Asks before sessions that are not named are marked, if there are several. @throws {UsageError} without a terminal */
async function mayClearAll(waiting: readonly Waiting[], { all, json }: SeenOptions, context: CliContext) {
  const { count, names } = nameSessions(waiting);
  if (all || count < 2) return true;
  if (json || !process.stdin.isTTY || !context.terminal)
    throw new UsageError(`${count} sessions would be marked: ${names}`, "Name one of them, or use --all.");
  for (const item of waiting) say(formatLine(item, context.now()), { ...context, nameCommands: undefined }, 2);
  const isAgreed = await terminalDialog.confirm(`Mark ${count} sessions as seen?`, true);
  if (!isAgreed) context.print("Nothing was changed.");
  return isAgreed;
}

/** Explains that a session is not waiting, and names the sessions that are. */
function describeNothing(session: string | undefined, others: readonly Waiting[]): string {
  const { count, names } = nameSessions(others);
  if (session === undefined || count === 0) return "No session is waiting for you.";
  return cleanLine(
    `${session} is not waiting for you; ${count === 1 ? "another is" : `${count} others are`}: ${names}.`,
  );
}

/** Maximum number of sessions to name. */
const maxNamed = 5;

/** Counts the sessions of requests, and names them as `beckon seen` takes them: by project, or by id if two share it. */
function nameSessions(waiting: readonly Waiting[]): { readonly count: number; readonly names: string } {
  const alerts = [...new Set(waiting.map(({ alert }) => alert))];
  const tellApart = distinguish(alerts);
  const shown = alerts.slice(0, maxNamed).map((alert) => tellApart(alert) || alert.project);
  return { count: alerts.length, names: cleanLine(joinNames(shown, alerts.length)) };
}

function toJson({ alert: { agent, sessionId, project }, concern: { id, kind } }: Waiting): Request {
  return { id, kind, agent, project, ...omitUndefined({ sessionId }) };
}

/** Formats a waiting request as `shop · Claude Code, needs-you for 3 min: Bash: git push`. */
function formatLine({ alert: { project, agent }, concern }: Waiting, nowMs: number): string {
  const waited = shortDuration(nowMs - concern.atMs);
  const said = summarizeConcern(concern);
  return `${project} · ${agentTitle(agent)}, ${concern.kind} for ${waited}${said === "" ? "" : `: ${said}`}`;
}
