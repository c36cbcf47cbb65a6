import { isOwnSocket } from "./own-socket.ts";
import type { Question } from "./question.ts";
import type { Seat } from "./seat.ts";

/** tmux client that shows the agent's pane as its active pane. */
export interface TmuxClient {
  readonly pid: number;
  /**
   * True if the client's terminal has reported that it has the focus, false if it has reported that it lost the focus;
   * undefined if it does not report. `true` is no proof, because tmux assumes focus when a client attaches.
   */
  readonly reportsFocus?: boolean;
}

/**
 * Checks that tmux itself holds the terminal. tmux's variables alone do not prove that, because terminals that were
 * started from a tmux pane inherit them.
 */
export function isTmux({ env: { TMUX, TMUX_PANE }, holder }: Seat): boolean {
  return TMUX_PANE !== undefined && TMUX?.split(",")[1] === String(holder?.pid);
}

/** Lists the tmux clients that show a terminal's pane; undefined if tmux does not answer. */
export async function listTmuxClients({ env }: Seat, { run }: Question): Promise<TmuxClient[] | undefined> {
  const socket = env.TMUX?.split(",")[0] ?? "";
  if (!isOwnSocket(socket)) return undefined;
  const output = await run("tmux", ["-S", socket, "list-clients", "-F", format]);
  return output === undefined ? undefined : parseClients(output, env.TMUX_PANE ?? "");
}
/** Format for listing clients; `pane_id` is the client's active pane. https://man.openbsd.org/tmux#FORMATS */
const format = "#{client_pid} #{pane_id} #{focus-events} ,#{client_flags}, ,#{client_termfeatures},";

/** Finds the clients that show a pane in the output of tmux's `list-clients`. Exported for its test. */
export function parseClients(output: string, pane: string): TmuxClient[] {
  return output.split("\n").flatMap((line) => {
    const [pid = "", shown, focusEvents, flags = "", features = ""] = line.split(" ");
    // A client in control mode draws panes itself, in an unknown place.
    if (!/^\d+$/.test(pid) || shown !== pane || flags.includes(",control-mode,")) return [];
    const reports = focusEvents === "1" && features.includes(",focus,");
    return [{ pid: Number(pid), ...(reports && { reportsFocus: flags.includes(",focused,") }) }];
  });
}
