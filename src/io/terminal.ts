import { constants } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { DeliveryError, errnoOf } from "../core/errors.ts";
import type { AgentTerminal, TerminalPort } from "../core/machine-ports.ts";
import { findProcess } from "../core/process-table.ts";

const { O_NOCTTY = 0, O_NONBLOCK = 0, O_WRONLY } = constants;

/** The only variables that are read from the process' environment. */
const terminalVariables = [
  ...["TERM", "TERM_PROGRAM", "LC_TERMINAL", "TMUX", "STY"],
  ...["KITTY_WINDOW_ID", "WT_SESSION", "GHOSTTY_RESOURCES_DIR", "WEZTERM_EXECUTABLE"],
] as const;

/** Major numbers of Linux' pseudo-terminals, https://www.kernel.org/doc/html/latest/admin-guide/devices.html */
const firstPtyMajor = 136;
const lastPtyMajor = 143;

/**
 * The port that finds the terminal of a process through /proc, on Linux only. A worker has no terminal, and on macOS and
 * Windows nothing tells it the agent's once the hook has ended.
 */
export function createTerminals(platform: NodeJS.Platform = process.platform): TerminalPort {
  return {
    async of(processes) {
      if (platform !== "linux") return undefined;
      for (const pid of processes.toReversed()) {
        const device = await deviceOf(pid);
        if (device !== undefined) return { env: await envOf(pid), write: (text) => write(device, text) };
      }
      return undefined;
    },
  };
}

/** Path of the pseudo-terminal of a process, if both belong to this user. */
async function deviceOf(pid: number): Promise<string | undefined> {
  try {
    const number = findProcess(pid)?.terminalDevice ?? 0;
    const major = (number >> 8) & 0xfff;
    const minor = (number & 0xff) | ((number >>> 12) & 0xfff00);
    if (major < firstPtyMajor || major > lastPtyMajor) return undefined;
    const device = `/dev/pts/${(major - firstPtyMajor) * 256 + minor}`;
    const { uid } = await stat(`/proc/${pid}`);
    const found = await stat(device);
    return uid === process.getuid?.() && found.uid === uid && found.isCharacterDevice() ? device : undefined;
  } catch {
    return undefined; // the process is gone, or another user's
  }
}

async function envOf(pid: number): Promise<AgentTerminal["env"]> {
  const text = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
  const entries = text.split("\0").map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)]);
  return Object.fromEntries(entries.filter(([name]) => terminalVariables.some((one) => one === name)));
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
