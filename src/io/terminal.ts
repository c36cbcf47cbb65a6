import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { DeliveryError, errnoOf } from "../core/errors.ts";
import type { TerminalPort } from "../core/machine-ports.ts";
import { environmentOf, lastTerminalOf } from "./process-terminal.ts";

const { O_NOCTTY = 0, O_NONBLOCK = 0, O_WRONLY } = constants;

/** The only variables that are read from the process' environment. */
const terminalVariables = [
  ...["TERM", "TERM_PROGRAM", "LC_TERMINAL", "TMUX", "STY"],
  ...["KITTY_WINDOW_ID", "WT_SESSION", "GHOSTTY_RESOURCES_DIR", "WEZTERM_EXECUTABLE"],
] as const;

/**
 * The port that finds the terminal of a process through /proc, on Linux only. A worker has no terminal, and on macOS and
 * Windows nothing tells it the agent's once the hook has ended.
 */
export function createTerminals(platform: NodeJS.Platform = process.platform): TerminalPort {
  return {
    async of(processes) {
      if (platform !== "linux") return undefined;
      const found = lastTerminalOf(processes);
      if (!found) return undefined;
      const { pid, device } = found;
      return { env: environmentOf(pid, terminalVariables), write: (text) => write(device, text) };
    },
  };
}

/** Writes in one call, so that the text does not mix with the agent's output. Does not wait for a stopped terminal. */
async function write(device: string, text: string): Promise<void> {
  try {
    const terminal = await open(device, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    try {
      await terminal.write(text);
    } finally {
      await terminal.close();
    }
  } catch (error) {
    throw new DeliveryError("unavailable", `the terminal cannot be written to (${errnoOf(error) ?? "unknown"})`);
  }
}
