import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const socket = "/tmp/terminal";
const settingsFile = "/tmp/tmux.conf";
const settings = `
set -g remain-on-exit on
set -g remain-on-exit-format ""
set -g history-limit 5000
`;
const pollMs = 100;

/** The command that shows the terminal in a window's terminal. */
export const attachCommand = ["tmux", "-S", socket, "attach"] as const;

/** Terminal of 140 columns and 45 rows with an agent's program, controlled through tmux. There is one at a time. */
export class Terminal {
  /** Process id of the program. */
  readonly pid: number;
  readonly #pane: string;

  /**
   * @param command run in `cwd` with `env` added to the environment
   * @param stream a file that gets the program's whole output, unchanged
   */
  constructor(command: readonly string[], cwd: string, env: Readonly<Record<string, string>>, stream: string) {
    const words = ["env", ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...command];
    writeFileSync(settingsFile, settings);
    const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
    tmux("new-session", "-d", "-x", "140", "-y", "45", "-c", cwd, `exec ${quoted.join(" ")}`);
    tmux("pipe-pane", `cat >>'${stream}'`);
    this.pid = Number(tmux("display-message", "-p", "#{pane_pid}"));
    this.#pane = tmux("display-message", "-p", "#{pane_id}").trim();
  }

  /** Returns the screen and up to `history` lines above it, without trailing blanks and runs of empty lines. */
  screen(history = 0): string {
    return tmux("capture-pane", "-t", this.#pane, "-p", "-S", `-${history}`)
      .replace(/[ \t]+$/gm, "")
      .replace(/\n{3,}/g, "\n\n");
  }

  /** Presses keys by tmux's names: `Enter`, `Escape`, `C-c`. */
  press(...keys: readonly string[]): void {
    tmux("send-keys", "-t", this.#pane, ...keys);
  }

  /** Types a line and sends it. A pause in between keeps the terminal from taking the line for a paste. */
  async enter(text: string): Promise<void> {
    tmux("send-keys", "-t", this.#pane, "-l", "--", text);
    await sleep(700);
    this.press("Enter");
  }

  hasEnded(): boolean {
    return tmux("display-message", "-t", this.#pane, "-p", "#{pane_dead}").trim() === "1";
  }

  /** Opens another pane next to the agent's pane, and goes there. */
  openOtherPane(): void {
    tmux("split-window", "-h", "sleep 600");
  }

  close(): void {
    tmux("kill-server");
  }
}

/** Waits for a condition; false if the condition does not hold after this many seconds. */
export async function until(isSo: () => boolean, seconds: number): Promise<boolean> {
  const end = Date.now() + seconds * 1000;
  while (!isSo()) {
    if (Date.now() > end) return false;
    await sleep(pollMs);
  }
  return true;
}

function tmux(...args: readonly string[]): string {
  return execFileSync("tmux", ["-f", settingsFile, "-S", socket, ...args], { encoding: "utf8" });
}
