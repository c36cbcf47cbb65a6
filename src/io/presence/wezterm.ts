import { at, listOf, parseObject } from "../../core/json-value.ts";
import { isOwnSocket } from "./own-socket.ts";
import type { Question } from "./question.ts";
import type { Seat } from "./seat.ts";

/** Whether WezTerm, or its server, holds this terminal, and not one that was started from it. */
export function isWezterm({ env: { WEZTERM_PANE }, holder }: Seat): boolean {
  return WEZTERM_PANE !== undefined && holder?.name?.startsWith("wezterm") === true;
}

/**
 * Process ids of the WezTerm windows whose focused pane is this terminal's; undefined where WezTerm does not answer.
 * That says nothing of the focus among the windows of the desktop. Tried against recorded replies only.
 * https://wezterm.org/cli/cli/list-clients.html
 */
export async function weztermClientsOf({ env }: Seat, { run }: Question): Promise<number[] | undefined> {
  const { WEZTERM_UNIX_SOCKET: socket, WEZTERM_PANE } = env;
  if (socket === undefined || !isOwnSocket(socket)) return undefined;
  const args = ["cli", "--no-auto-start", "list-clients", "--format", "json"];
  const output = await run("wezterm", args, { WEZTERM_UNIX_SOCKET: socket });
  return output === undefined ? undefined : parseWeztermClients(output, Number(WEZTERM_PANE));
}

/** Process ids of the clients in WezTerm's list that have the focus on a pane. Exported for its test. */
export function parseWeztermClients(output: string, pane: number): number[] {
  const clients = listOf(parseObject(`{"all":${output}}`)?.["all"]);
  const showing = clients.filter((client) => at(client, "focused_pane_id") === pane);
  return showing.map((client) => at(client, "pid")).filter((pid): pid is number => typeof pid === "number");
}
