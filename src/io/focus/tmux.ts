import type { FocusStep } from "../../core/ports.ts";
import { isOwnSocket, type Place } from "../presence/question.ts";
import { isTmux } from "../presence/terminals.ts";

const target = "tmux's pane";

/** Checks if a terminal is a tmux pane. Uses the recorded environment if the agent has exited. */
export function isInTmux({ seat, env: { TMUX, TMUX_PANE } }: Place): boolean {
  return seat ? isTmux(seat) : TMUX !== undefined && TMUX_PANE !== undefined;
}

/** tmux pane to bring to the front, and the tmux client that shows it. */
interface PaneTarget {
  /** Process id of the tmux client. */
  readonly clientPid: number;
  choose(): Promise<FocusStep>;
}

/**
 * Finds a terminal's tmux pane, and the client that is to show the pane: a client of the pane's session, or else the
 * client used last. If the pane or the client is missing, returns a step with the obstacle.
 * https://man.openbsd.org/tmux
 */
export async function findTmuxPane({
  env: { TMUX, TMUX_PANE: pane = "" },
  run,
}: Place): Promise<PaneTarget | FocusStep> {
  const socket = TMUX?.split(",")[0] ?? "";
  if (!isOwnSocket(socket)) return { target, obstacle: "its tmux has exited" };
  const tmux = (...args: string[]) => run("tmux", ["-S", socket, ...args]);
  const shown = (await tmux("display-message", "-p", "-t", pane, "#{pane_id} #{session_id}"))?.trim() ?? "";
  const [found, session = ""] = shown.split(" ");
  if (found !== pane) return { target, obstacle: "the pane is closed, or tmux does not answer" };
  const client = bestClient((await tmux("list-clients", "-F", clientFormat)) ?? "", session);
  if (!client) return { target, obstacle: "no terminal is attached to its tmux; run `tmux attach`" };
  return {
    clientPid: client.pid,
    async choose() {
      const done = await tmux(
        ...["switch-client", "-c", client.tty, "-t", pane],
        ...[";", "select-window", "-t", pane, ";", "select-pane", "-t", pane],
      );
      return done === undefined ? { target, obstacle: "tmux refused" } : { target };
    },
  };
}

const clientFormat = "#{client_pid} #{client_activity} #{session_id} #{client_tty} ,#{client_flags},";

interface Client {
  readonly pid: number;
  readonly tty: string;
}

/**
 * Chooses the tmux client that is to show a session: the client used last among those that show the session, or else
 * among all. Exported for its test.
 */
export function bestClient(list: string, session: string): Client | undefined {
  const clients = list.split("\n").flatMap((line) => {
    const [pid = "", activity = "", shown = "", tty = "", flags = ""] = line.split(" ");
    // A client in control mode draws panes itself, in an unknown place.
    if (!/^\d{1,10}$/.test(pid) || !/^\/dev\/[\w/-]{1,64}$/.test(tty) || flags.includes(",control-mode,")) return [];
    return [{ pid: Number(pid), tty, rank: Number(activity) + (shown === session ? 1e12 : 0) }];
  });
  return clients.sort((a, b) => b.rank - a.rank)[0];
}
