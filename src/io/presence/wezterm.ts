import { at, parseObject, toList } from "../../core/json-value.ts";
import { isOwnSocket } from "./own-socket.ts";
import type { Question } from "./question.ts";
import type { Seat } from "./seat.ts";

/**
 * Checks that WezTerm or its server holds the terminal. WezTerm's variables alone do not prove that, because terminals
 * that were started from WezTerm inherit them.
 */
export function isWezterm({ env: { WEZTERM_PANE }, holder }: Seat): boolean {
  return WEZTERM_PANE !== undefined && holder?.name?.startsWith("wezterm") === true;
}

/**
 * Lists the process ids of the WezTerm windows in which this terminal's pane has the focus. These windows need not have
 * the focus themselves. Undefined if WezTerm does not answer. Only tested with recorded replies.
 * https://wezterm.org/cli/cli/list-clients.html
 */
export async function listWeztermClients({ env }: Seat, { run }: Question): Promise<number[] | undefined> {
  const { WEZTERM_UNIX_SOCKET: socket, WEZTERM_PANE } = env;
  if (socket === undefined || !isOwnSocket(socket)) return undefined;
  const args = ["cli", "--no-auto-start", "list-clients", "--format", "json"];
  const output = await run("wezterm", args, { WEZTERM_UNIX_SOCKET: socket });
  return output === undefined ? undefined : parseWeztermClients(output, Number(WEZTERM_PANE));
}

/** Reads the process ids of the clients that focus a pane from WezTerm's list of clients. Exported for its test. */
export function parseWeztermClients(output: string, pane: number): number[] {
  const clients = toList(parseObject(`{"all":${output}}`)?.["all"]);
  const showing = clients.filter((client) => at(client, "focused_pane_id") === pane);
  return showing.map((client) => at(client, "pid")).filter((pid): pid is number => typeof pid === "number");
}
