import type { FocusStep } from "../../core/ports.ts";
import { isOwnSocket, listNeighbors } from "../presence/question.ts";
import { askKitty, isKitty, isWezterm, readKittyReply } from "../presence/terminals.ts";
import type { Place } from "./place.ts";

/** Terminal program that can switch between several terminals in one window. */
export interface Program {
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
export const programs: readonly Program[] = [zellij, kitty, wezterm];
