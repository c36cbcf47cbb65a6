import { isOwnSocket } from "./own-socket.ts";
import type { Question } from "./question.ts";
import type { Seat } from "./seat.ts";

/** Terminal in which tmux shows the agent's pane as active. */
export interface TmuxClient {
  readonly pid: number;
  /**
   * Focus of its terminal by the terminal's own reports; undefined without any. tmux assumes focus on attaching, so
   * `true` proves nothing on its own.
   */
  readonly reportsFocus?: boolean;
}

/** Checks that tmux itself holds this terminal, not a terminal started from a pane. */
export function isTmux({ env: { TMUX, TMUX_PANE }, holder }: Seat): boolean {
  return TMUX_PANE !== undefined && TMUX?.split(",")[1] === String(holder?.pid);
}

/**
 * Lists the clients that show this terminal's pane, which must be in tmux; undefined if tmux does not answer. Empty if
 * the pane is not visible.
 */
export async function listTmuxClients({ env }: Seat, { run }: Question): Promise<TmuxClient[] | undefined> {
  const socket = env.TMUX?.split(",")[0] ?? "";
  if (!isOwnSocket(socket)) return undefined;
  const output = await run("tmux", ["-S", socket, "list-clients", "-F", format]);
  return output === undefined ? undefined : parseClients(output, env.TMUX_PANE ?? "");
}
/**
 * Format for listing clients. `pane_id` is the active pane of the client's window. https://man.openbsd.org/tmux#FORMATS
 */
const format = "#{client_pid} #{pane_id} #{focus-events} ,#{client_flags}, ,#{client_termfeatures},";

/** Finds the clients in tmux's list that show a pane. Exported for its test. */
export function parseClients(output: string, pane: string): TmuxClient[] {
  return output.split("\n").flatMap((line) => {
    const [pid = "", shown, focusEvents, flags = "", features = ""] = line.split(" ");
    // A client in control mode draws panes itself, in an unknown place.
    if (!/^\d+$/.test(pid) || shown !== pane || flags.includes(",control-mode,")) return [];
    const reports = focusEvents === "1" && features.includes(",focus,");
    return [{ pid: Number(pid), ...(reports && { reportsFocus: flags.includes(",focused,") }) }];
  });
}
