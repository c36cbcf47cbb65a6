import { constants, statSync } from "node:fs";
import { DeliveryError, readErrno } from "../core/errors.ts";
import type { AgentTerminal, ExecPort, Obstacle, TerminalPort } from "../core/ports.ts";
import { recordedTerminal, type TerminalEnvironment } from "../core/terminal-environment.ts";
import { isOwnSocket } from "./presence/question.ts";
import { findLastTerminal, readEnvironment } from "./process-terminal.ts";

const { O_NOCTTY = 0, O_NONBLOCK = 0, O_WRONLY } = constants;
const programTimeoutMs = 1_000;

/** Variables that are read from the environment of a process in a terminal. */
const terminalVariables = [
  ...["TERM", "TERM_PROGRAM", "LC_TERMINAL", "TMUX", "TMUX_PANE", "STY"],
  ...["KITTY_WINDOW_ID", "WT_SESSION", "GHOSTTY_RESOURCES_DIR", "WEZTERM_EXECUTABLE"],
] as const;

type Environment = Readonly<Record<string, string>>;

/**
 * Creates the port that finds a process's terminal. Linux uses /proc. On macOS and the BSDs, where the process may have
 * exited, the port uses the environment that the hook recorded. Windows is not supported.
 */
export function createTerminals(
  exec: ExecPort,
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
): TerminalPort {
  const terminalAt = (device: string | undefined, itsEnv: Environment): AgentTerminal | undefined =>
    device === undefined
      ? undefined
      : { env: itsEnv, obstacle: () => tmuxObstacle(exec, itsEnv), write: (text) => write(device, text) };
  const of: TerminalPort["of"] = async (processes, recorded = {}) => {
    if (platform === "win32") return undefined;
    if (platform !== "linux") return terminalAt(await recordedDevice(exec, platform, recorded), { ...recorded });
    const found = findLastTerminal(processes);
    return found && terminalAt(found.device, readEnvironment(found.pid, terminalVariables));
  };
  return { of, here: () => of([process.pid], recordedTerminal(env)) };
}

/**
 * Finds a terminal by its recorded variables. In tmux it is the pane's terminal, over SSH the session's terminal, and
 * otherwise the only terminal whose programs have all of the variables.
 */
async function recordedDevice(
  exec: ExecPort,
  platform: NodeJS.Platform,
  recorded: TerminalEnvironment,
): Promise<string | undefined> {
  const { TMUX, TMUX_PANE: pane, SSH_TTY } = recorded;
  if (TMUX !== undefined && pane !== undefined) {
    return ownTerminal(await askTmux(exec, TMUX, "display-message", "-p", "-t", pane, "#{pane_tty}"));
  }
  if (SSH_TTY !== undefined) return ownTerminal(SSH_TTY);
  const names = await terminalsWith(exec, platform, recorded);
  return names.length === 1 ? ownTerminal(`/dev/${names[0]}`) : undefined;
}

/**
 * Script that prints the terminals of those programs of the user whose command line or environment contains all search
 * terms. The search terms are in the variable BECKON_WANTED.
 */
const searchScript = `ps "$1" -o tty= -o command= | awk '
  BEGIN { count = split(ENVIRON["BECKON_WANTED"], wanted, "\t") }
  $1 ~ "^(pts/|tty)" { for (i = 1; i <= count; i++) if (!index($0 " ", " " wanted[i] " ")) next; print $1 }
' | sort -u`;

/** Lists the terminals of programs that have all of these variables. https://man.freebsd.org/ps */
async function terminalsWith(
  exec: ExecPort,
  platform: NodeJS.Platform,
  recorded: TerminalEnvironment,
): Promise<readonly string[]> {
  const wanted = Object.entries(recorded).map(([name, value]) => `${name}=${value}`);
  if (wanted.length === 0) return [];
  // The option to show a program's environment is -E on macOS, where -e has another meaning.
  const options = platform === "darwin" ? "-xwwE" : "xwwe";
  const args = ["-c", searchScript, "beckon", options];
  const run = exec.run({ file: "sh", args, env: { BECKON_WANTED: wanted.join("\t") }, timeoutMs: programTimeoutMs });
  const found = await run.catch(() => undefined);
  return (found?.stdout ?? "").split("\n").filter((line) => /^(?:pts\/\d{1,5}|tty\w{1,8})$/.test(line));
}

/** Returns a terminal's path if the terminal belongs to this user, otherwise undefined. */
function ownTerminal(path = ""): string | undefined {
  if (!/^\/dev\/(?:pts\/\d{1,5}|tty\w{1,8})$/.test(path)) return undefined;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isCharacterDevice() && stats.uid === process.getuid?.() ? path : undefined;
}

/**
 * Returns why control sequences do not get through tmux; undefined if they do. Versions before 3.3 always let them
 * through. https://man.openbsd.org/tmux#allow-passthrough
 */
async function tmuxObstacle(exec: ExecPort, { TMUX, TMUX_PANE }: Environment): Promise<Obstacle | undefined> {
  if (TMUX === undefined) return undefined;
  const pane = TMUX_PANE === undefined ? [] : ["-t", TMUX_PANE];
  const value = await askTmux(exec, TMUX, "show-options", "-A", "-p", "-v", ...pane, "allow-passthrough");
  if (value !== "off") return undefined;
  return {
    message: "tmux blocks notifications to the terminal",
    hint: "Add `set -g allow-passthrough all` to ~/.tmux.conf (`on` for tmux 3.3), then run `tmux source ~/.tmux.conf`.",
  };
}

/** Runs a command on the tmux server that a `TMUX` variable names. Returns the first line of the output. */
async function askTmux(exec: ExecPort, variable: string, ...args: readonly string[]): Promise<string | undefined> {
  const socket = variable.split(",")[0] ?? "";
  if (!isOwnSocket(socket)) return undefined;
  const run = exec.run({ file: "tmux", args: ["-S", socket, ...args], timeoutMs: programTimeoutMs });
  const found = await run.catch(() => undefined);
  return found?.exitCode === 0 ? found.stdout.split("\n")[0]?.trim() : undefined;
}

/**
 * Writes text to a terminal in a single call, so that it does not mix with the agent's output. Does not wait if the
 * terminal has stopped output.
 */
async function write(device: string, text: string): Promise<void> {
  const { open } = await import("node:fs/promises");
  try {
    const terminal = await open(device, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    try {
      await terminal.write(text);
    } finally {
      await terminal.close();
    }
  } catch (error) {
    throw new DeliveryError("unavailable", `the terminal cannot be written to (${readErrno(error) ?? "unknown"})`);
  }
}
