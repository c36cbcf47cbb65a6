import { isOwnSocket } from "./own-socket.ts";
import type { Question } from "./question.ts";
import type { Seat } from "./seat.ts";

/** A terminal in which tmux shows the agent's pane as the active one. */
export interface TmuxClient {
  readonly pid: number;
  /**
   * Whether its terminal has the focus, by its own reports; undefined where it sends none. tmux takes a terminal for
   * focused when it attaches, so that alone `true` does not prove it.
   */
  readonly reportsFocus?: boolean;
}

/** Whether tmux itself holds this terminal, and not one that was started from a pane. */
export function isTmux({ env: { TMUX, TMUX_PANE }, holder }: Seat): boolean {
  return TMUX_PANE !== undefined && TMUX?.split(",")[1] === String(holder?.pid);
}

/**
 * The clients that show the pane of this terminal, which must be tmux's; undefined where tmux does not answer. Their
 * number may be 0: nobody sees the pane.
 */
export async function clientsOf({ env }: Seat, { run }: Question): Promise<TmuxClient[] | undefined> {
  const socket = env.TMUX?.split(",")[0] ?? "";
  if (!isOwnSocket(socket)) return undefined;
  const output = await run("tmux", ["-S", socket, "list-clients", "-F", format]);
  return output === undefined ? undefined : parseClients(output, env.TMUX_PANE ?? "");
}
/** `pane_id` is here the active pane of the window that the client shows. https://man.openbsd.org/tmux#FORMATS */
const format = "#{client_pid} #{pane_id} #{focus-events} ,#{client_flags}, ,#{client_termfeatures},";

/** Those clients in tmux's list that show a pane. Exported for its test. */
export function parseClients(output: string, pane: string): TmuxClient[] {
  return output.split("\n").flatMap((line) => {
    const [pid = "", shown, focusEvents, flags = "", features = ""] = line.split(" ");
    // A client in control mode draws panes itself, nobody knows where.
    if (!/^\d+$/.test(pid) || shown !== pane || flags.includes(",control-mode,")) return [];
    const reports = focusEvents === "1" && features.includes(",focus,");
    return [{ pid: Number(pid), ...(reports && { reportsFocus: flags.includes(",focused,") }) }];
  });
}
