import type { FocusStep } from "../../core/focus-port.ts";
import { isOwnSocket } from "../presence/own-socket.ts";
import { isTmux } from "../presence/tmux.ts";
import type { Place } from "./place.ts";

const target = "tmux's pane";

/** Whether tmux shows a terminal; of an agent that has ended, whether it did by what was recorded. */
export function isInTmux({ seat, env: { TMUX, TMUX_PANE } }: Place): boolean {
  return seat ? isTmux(seat) : TMUX !== undefined && TMUX_PANE !== undefined;
}

/** A way to show a pane. */
interface PaneWay {
  /** Process of the tmux client that is to show it. */
  readonly clientPid: number;
  choose(): Promise<FocusStep>;
}

/**
 * How tmux is told to show the pane of a terminal: by the client that shows its session, else by the one used last. A
 * step with an obstacle where there is no way. https://man.openbsd.org/tmux
 */
export async function findTmuxPane({ env: { TMUX, TMUX_PANE: pane = "" }, run }: Place): Promise<PaneWay | FocusStep> {
  const socket = TMUX?.split(",")[0] ?? "";
  if (!isOwnSocket(socket)) return { target, obstacle: "its tmux has ended" };
  const tmux = (...args: string[]) => run("tmux", ["-S", socket, ...args]);
  const shown = (await tmux("display-message", "-p", "-t", pane, "#{pane_id} #{session_id}"))?.trim() ?? "";
  const [found, session = ""] = shown.split(" ");
  if (found !== pane) return { target, obstacle: "the pane is closed, or tmux does not answer" };
  const client = bestClient((await tmux("list-clients", "-F", clientFormat)) ?? "", session);
  if (!client) return { target, obstacle: "no terminal is attached to its tmux: attach one with `tmux attach`" };
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

/** Exported for its test. */
export function bestClient(list: string, session: string): Client | undefined {
  const clients = list.split("\n").flatMap((line) => {
    const [pid = "", activity = "", shown = "", tty = "", flags = ""] = line.split(" ");
    // A client in control mode draws panes itself, nobody knows where.
    if (!/^\d{1,10}$/.test(pid) || !/^\/dev\/[\w/-]{1,64}$/.test(tty) || flags.includes(",control-mode,")) return [];
    return [{ pid: Number(pid), tty, rank: Number(activity) + (shown === session ? 1e12 : 0) }];
  });
  return clients.sort((a, b) => b.rank - a.rank)[0];
}
