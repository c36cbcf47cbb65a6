import { findActiveWindow } from "./active-window.ts";
import { isKitty, isKittyFocused } from "./kitty.ts";
import type { Question } from "./question.ts";
import { findSeat, listNeighbors, type Seat } from "./seat.ts";
import { isTmux, listTmuxClients, type TmuxClient } from "./tmux.ts";
import { typedAtMs } from "./ttys.ts";
import { isWezterm, listWeztermClients } from "./wezterm.ts";

/** Maximum depth of nested terminals, such as tmux in tmux in a window. */
const maxDepth = 3;
/** Time in milliseconds for which the user counts as present after an input. */
const recentInputMs = 15_000;

/**
 * Checks if a terminal has the focus, which means that its pane, its tab and its window all have it. Returns undefined
 * unless the programs that show the terminal prove the answer.
 */
export async function isFocused(seat: Seat, question: Question, depth = 0): Promise<boolean | undefined> {
  if (isTmux(seat)) return isTmuxFocused(seat, question, depth);
  if (isKitty(seat)) return (await isKittyFocused(seat, question)) ?? isWindowFocused(seat, question);
  if (isWezterm(seat)) return isWeztermFocused(seat, question);
  return isWindowFocused(seat, question);
}

/** Checks if any tmux client that shows the pane runs in a focused terminal. */
async function isTmuxFocused(seat: Seat, question: Question, depth: number): Promise<boolean | undefined> {
  const clients = depth < maxDepth ? await listTmuxClients(seat, question) : undefined;
  return (
    clients && combineAnswers(await Promise.all(clients.map((client) => isClientFocused(client, question, depth))))
  );
}

async function isClientFocused({ pid, reportsFocus }: TmuxClient, question: Question, depth: number) {
  const outer = reportsFocus === false ? undefined : findSeat([pid]);
  if (!outer) return reportsFocus === false ? false : undefined;
  if (reportsFocus && (typedAtMs(outer.device) ?? 0) > Date.now() - recentInputMs) return true;
  return isFocused(outer, { ...question, env: { ...question.env, ...outer.env } }, depth + 1);
}

/** Checks if the active window is a WezTerm window that focuses the pane; undefined if that cannot be found out. */
async function isWeztermFocused(seat: Seat, question: Question): Promise<boolean | undefined> {
  const [clients, active] = await Promise.all([listWeztermClients(seat, question), findActiveWindow(question)]);
  return clients && active && clients.includes(active.pid);
}

/** Checks if the active window shows this terminal and no other. Undefined if that is uncertain. */
async function isWindowFocused(seat: Seat, question: Question): Promise<boolean | undefined> {
  const active = await findActiveWindow(question);
  if (active === undefined || seat.holder === undefined) return undefined;
  const { pid } = seat.holder;
  // If the holder has no window, its terminal may be in another program's window.
  if (active.pid !== pid) return active.windowPids.includes(pid) ? false : undefined;
  const neighbors = listNeighbors(seat);
  const isWindow = active.x11Id !== undefined && active.x11Id === seat.env.WINDOWID;
  if (isWindow) return neighbors?.every((id) => id !== undefined && id !== active.x11Id) ? true : undefined;
  return neighbors?.length === 0 && active.windowPids.filter((windowPid) => windowPid === pid).length === 1
    ? true
    : undefined;
}

function combineAnswers(answers: readonly (boolean | undefined)[]): boolean | undefined {
  if (answers.includes(true)) return true;
  return answers.includes(undefined) ? undefined : false;
}
