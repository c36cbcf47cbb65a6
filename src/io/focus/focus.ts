import { setMaxListeners } from "node:events";
import type { ExecPort, FocusPort, FocusResult, FocusStep } from "../../core/ports.ts";
import {
  checkedEnvironment,
  desktopVariables,
  recordedTerminal,
  type TerminalEnvironment,
} from "../../core/terminal-environment.ts";
import type { PresenceOptions } from "../presence/presence.ts";
import { createRunner, findSeat, isOwnSocket, listNeighbors, type Place } from "../presence/question.ts";
import { askKitty, isKitty, isTmux, isWezterm, maxDepth, readKittyReply } from "../presence/terminals.ts";
import { focusOnMac } from "./macos.ts";
import { raiseWindow } from "./window.ts";

/** Longest time for focusing a terminal, milliseconds. Each program that is run has a shorter limit. */
const limitMs = 5_000;
const programTimeoutMs = 3_000;

/** Creates the port that brings a terminal on this machine to the front. Windows does not allow that. */
export function createFocus(exec: ExecPort, options: Pick<PresenceOptions, "env" | "platform"> = {}): FocusPort {
  const { env = process.env, platform = process.platform } = options;
  return {
    async focus(processes, terminal, signal) {
      const limit = AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])]);
      setMaxListeners(0, limit); // one listener for each socket and program
      const runner = createRunner(exec, programTimeoutMs, limit);
      const run: Place["run"] = (...program) => runner(...program).catch(() => undefined); // undefined means failure
      const desktop = checkedEnvironment(env, desktopVariables);
      const recorded = recordedTerminal(terminal ?? {});
      try {
        return buildResult(await focusTarget({ processes, desktop, recorded, platform }, { run, signal: limit }));
      } catch {
        return buildResult([{ target: "the terminal", obstacle: "a program that could focus it failed" }]);
      }
    },
  };
}

interface FocusTarget {
  readonly processes: readonly number[];
  readonly desktop: TerminalEnvironment;
  readonly recorded: TerminalEnvironment | undefined;
  readonly platform: NodeJS.Platform;
}

function focusTarget({ processes, desktop, recorded, platform }: FocusTarget, ask: Pick<Place, "run" | "signal">) {
  if (platform === "darwin") return focusOnMac(processes, recorded ?? {}, ask.run);
  const obstacle =
    platform === "win32" ? "Windows does not allow programs to do that" : "its location was not recorded";
  const seat = platform === "win32" ? undefined : findSeat(processes);
  if (!seat && (!recorded || platform === "win32")) return [{ target: "the terminal", obstacle }];
  return focusPlace({ ...ask, ...(seat && { seat }), env: { ...desktop, ...recorded, ...seat?.env } });
}

/** Focuses a terminal: first its window, then its tab or pane. */
async function focusPlace(place: Place, depth = 0): Promise<FocusStep[]> {
  if (isInTmux(place) && depth < maxDepth) return focusTmux(place, depth);
  const program = programs.find(({ shows }) => shows(place));
  const { seat: _, ...elsewhere } = place;
  const outer = await raiseWindow(program?.holdsNoWindow ? elsewhere : place);
  if (!program) return outer;
  // `choose` also switches to the tab, so keep only the step for the window.
  return [...outer.slice(0, 1), await program.choose(place)];
}

/** Focuses the terminal in which a tmux client shows the pane's session, then selects the pane in tmux. */
async function focusTmux(place: Place, depth: number): Promise<FocusStep[]> {
  const paneTarget = await findTmuxPane(place);
  if ("target" in paneTarget) return [paneTarget];
  const seat = findSeat([paneTarget.clientPid]);
  const { run, signal, env } = place;
  const desktop = checkedEnvironment(env, desktopVariables);
  const outer = await focusPlace({ run, signal, ...(seat && { seat }), env: { ...desktop, ...seat?.env } }, depth + 1);
  return [...outer, await paneTarget.choose()];
}

function buildResult(steps: readonly FocusStep[]): FocusResult {
  return { isInFront: steps.every(({ obstacle }) => obstacle === undefined), steps };
}

/** Terminal program that can switch between several terminals in one window. */
interface Program {
  /** Checks if the program shows a terminal. Uses the recorded environment if the agent has exited. */
  readonly shows: (place: Place) => boolean;
  /** Set if the process that holds the terminal has no window, so that only the environment identifies the window. */
  readonly holdsNoWindow?: true;
  readonly choose: (place: Place) => Promise<FocusStep>;
}

/** kitty, controlled through its socket: https://sw.kovidgoyal.net/kitty/remote-control/#kitten-focus-window */
const kitty: Program = {
  shows: (place) => (place.seat ? isKitty(place.seat) : place.env.KITTY_WINDOW_ID !== undefined),
  async choose(place) {
    const target = "kitty's window";
    if (place.seat && listNeighbors(place.seat)?.length === 0) return { target };
    const payload = { match: `id:${Number(place.env.KITTY_WINDOW_ID)}` };
    const reply = await askKitty(place, { cmd: "focus-window", payload });
    if (reply !== undefined && readKittyReply(reply)?.["ok"] === true) return { target };
    const unheard = "kitty does not answer; set `allow_remote_control` and `listen_on` in kitty.conf";
    return { target, obstacle: reply === undefined ? unheard : "kitty has closed it, or refuses" };
  },
};

/** WezTerm, controlled with `wezterm cli`; tested with a stub: https://wezterm.org/cli/cli/activate-pane.html */
const wezterm: Program = {
  shows: (place) => (place.seat ? isWezterm(place.seat) : place.env.WEZTERM_PANE !== undefined),
  async choose({ env: { WEZTERM_PANE = "", WEZTERM_UNIX_SOCKET: socket }, run }) {
    const target = "WezTerm's pane";
    if (socket === undefined || !isOwnSocket(socket)) return { target, obstacle: "WezTerm's socket is missing" };
    const args = ["cli", "--no-auto-start", "activate-pane", "--pane-id", WEZTERM_PANE];
    const output = await run("wezterm", args, { WEZTERM_UNIX_SOCKET: socket });
    return output === undefined ? { target, obstacle: "`wezterm cli` failed" } : { target };
  },
};

/** zellij, controlled with `zellij action`; tested with a stub: https://zellij.dev/documentation/cli-actions.html */
const zellij: Program = {
  shows: ({ seat, env }) =>
    env.ZELLIJ_SESSION_NAME !== undefined &&
    env.ZELLIJ_PANE_ID !== undefined &&
    (seat === undefined || seat.holder?.name === "zellij"),
  holdsNoWindow: true,
  async choose({ env: { ZELLIJ_SESSION_NAME = "", ZELLIJ_PANE_ID = "" }, run }) {
    const target = "zellij's pane";
    const args = ["--session", ZELLIJ_SESSION_NAME, "action", "focus-pane-id", ZELLIJ_PANE_ID];
    const obstacle = "`zellij action focus-pane-id` failed; it needs zellij 0.44 or newer";
    return (await run("zellij", args)) === undefined ? { target, obstacle } : { target };
  },
};

/** Terminal programs with tabs or panes, except tmux, whose clients run in terminals that are focused separately. */
const programs: readonly Program[] = [zellij, kitty, wezterm];

const tmuxTarget = "tmux's pane";

/** Checks if a terminal is a tmux pane. Uses the recorded environment if the agent has exited. */
function isInTmux({ seat, env: { TMUX, TMUX_PANE } }: Place): boolean {
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
async function findTmuxPane({ env: { TMUX, TMUX_PANE: pane = "" }, run }: Place): Promise<PaneTarget | FocusStep> {
  const socket = TMUX?.split(",")[0] ?? "";
  if (!isOwnSocket(socket)) return { target: tmuxTarget, obstacle: "its tmux has exited" };
  const tmux = (...args: string[]) => run("tmux", ["-S", socket, ...args]);
  const shown = (await tmux("display-message", "-p", "-t", pane, "#{pane_id} #{session_id}"))?.trim() ?? "";
  const [found, session = ""] = shown.split(" ");
  if (found !== pane) return { target: tmuxTarget, obstacle: "the pane is closed, or tmux does not answer" };
  const client = bestClient((await tmux("list-clients", "-F", clientFormat)) ?? "", session);
  if (!client) return { target: tmuxTarget, obstacle: "no terminal is attached to its tmux; run `tmux attach`" };
  return {
    clientPid: client.pid,
    async choose() {
      const done = await tmux(
        ...["switch-client", "-c", client.tty, "-t", pane],
        ...[";", "select-window", "-t", pane, ";", "select-pane", "-t", pane],
      );
      return done === undefined ? { target: tmuxTarget, obstacle: "tmux refused" } : { target: tmuxTarget };
    },
  };
}

const clientFormat = "#{client_pid} #{client_activity} #{session_id} #{client_tty} ,#{client_flags},";

/**
 * Chooses the tmux client that is to show a session: the client used last among those that show the session, or else
 * among all. Exported for its test.
 */
export function bestClient(list: string, session: string) {
  const clients = list.split("\n").flatMap((line) => {
    const [pid = "", activity = "", shown = "", tty = "", flags = ""] = line.split(" ");
    // A client in control mode draws panes itself, in an unknown place.
    if (!/^\d{1,10}$/.test(pid) || !/^\/dev\/[\w/-]{1,64}$/.test(tty) || flags.includes(",control-mode,")) return [];
    return [{ pid: Number(pid), tty, rank: Number(activity) + (shown === session ? 1e12 : 0) }];
  });
  return clients.sort((a, b) => b.rank - a.rank)[0];
}
