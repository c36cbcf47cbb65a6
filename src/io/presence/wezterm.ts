import { at, parseObject, toList } from "../../core/json-value.ts";
import { isOwnSocket } from "./own-socket.ts";
import type { Question } from "./question.ts";
import type { Seat } from "./seat.ts";

/** Checks that WezTerm or its server itself holds this terminal, not a terminal started from it. */
export function isWezterm({ env: { WEZTERM_PANE }, holder }: Seat): boolean {
  return WEZTERM_PANE !== undefined && holder?.name?.startsWith("wezterm") === true;
}

/**
 * Lists the process ids of WezTerm windows whose focused pane is this terminal's; undefined if WezTerm does not answer.
 * The windows themselves need not have the focus. Tested with recorded replies.
 * https://wezterm.org/cli/cli/list-clients.html
 */
export async function listWeztermClients({ env }: Seat, { run }: Question): Promise<number[] | undefined> {
  const { WEZTERM_UNIX_SOCKET: socket, WEZTERM_PANE } = env;
  if (socket === undefined || !isOwnSocket(socket)) return undefined;
  const args = ["cli", "--no-auto-start", "list-clients", "--format", "json"];
  const output = await run("wezterm", args, { WEZTERM_UNIX_SOCKET: socket });
  return output === undefined ? undefined : parseWeztermClients(output, Number(WEZTERM_PANE));
}

/** Finds the process ids of clients in WezTerm's list that focus a pane. Exported for its test. */
export function parseWeztermClients(output: string, pane: number): number[] {
  const clients = toList(parseObject(`{"all":${output}}`)?.["all"]);
  const showing = clients.filter((client) => at(client, "focused_pane_id") === pane);
  return showing.map((client) => at(client, "pid")).filter((pid): pid is number => typeof pid === "number");
}
