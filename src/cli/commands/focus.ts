import { agentTitle } from "../../agents/registry.ts";
import type { Alert } from "../../attention/alert.ts";
import { describeFocus, goToTerminal } from "../../attention/go-to-terminal.ts";
import { findSessions, listWaiting, readSessions } from "../../attention/sessions.ts";
import { CommandError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { readAgentState } from "../../lookups/session-state.ts";
import { docsPage } from "../../text/version.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { type JsonOption, jsonLine } from "../output/json-line.ts";
import { createCliPorts } from "../ports.ts";
import { say } from "../say.ts";

/** Declares `beckon focus`: brings a session's terminal to the front. */
export const registerFocus: RegisterCommand = (command, run) => {
  command
    .argument(
      "[session]",
      "start of a session id, or a project name; default: the request that has waited longest; without a request, the failure; without either, the finished turn",
    )
    .option("--json", "print one JSON object")
    .action((session: string | undefined, options: JsonOption) =>
      run((context) => runFocus(session, options, context)),
    );
};

async function runFocus(session: string | undefined, { json }: JsonOption, context: CliContext): Promise<number> {
  const alert = chooseSession(session, context);
  const { agent, project, sessionId } = alert;
  const result = await goToTerminal(alert, createCliPorts(context.paths));
  if (json) {
    context.print(jsonLine({ agent, project, ...omitUndefined({ sessionId }), ...result }));
  } else if (result.isInFront) {
    const { waitingFor } = readAgentState(alert) ?? {};
    say(`focused ${project} · ${agentTitle(agent)}${waitingFor ? `, which waits: ${waitingFor}` : ""}`, context, 2);
  } else {
    throw new CommandError(`${project} · ${agentTitle(agent)}: ${describeFocus(result.steps)}`, hint);
  }
  return result.isInFront ? 0 : 1;
}

const hint = `Terminals that can be focused: ${docsPage("attention")}`;

/**
 * Chooses the session to focus: the one that waits for the most urgent reason or, among several, has waited longest. A
 * session that the user named is chosen even if it does not wait. @throws {CommandError}
 */
function chooseSession(session: string | undefined, { paths, now }: CliContext): Alert {
  const all = readSessions(paths, now());
  const meant = session === undefined ? all : findSessions(all, session);
  const chosen = listWaiting(meant)[0]?.alert ?? (session === undefined ? undefined : meant[0]);
  if (chosen) return chosen;
  const problem = session === undefined ? "no session is waiting for you" : `no session ${session}`;
  throw new CommandError(problem, "To list the sessions: beckon sessions");
}
