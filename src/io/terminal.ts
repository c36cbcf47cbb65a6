import { constants } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { DeliveryError, errnoOf } from "../core/errors.ts";
import type { Terminal, TerminalPort } from "../core/machine-ports.ts";

const { O_NOCTTY = 0, O_NONBLOCK = 0, O_WRONLY } = constants;

/** The only variables that are looked at. */
const telling = [
  ...["TERM", "TERM_PROGRAM", "LC_TERMINAL", "TMUX", "STY"],
  ...["KITTY_WINDOW_ID", "WT_SESSION", "GHOSTTY_RESOURCES_DIR", "WEZTERM_EXECUTABLE"],
] as const;

/** Major numbers of Linux' pseudo-terminals, https://www.kernel.org/doc/html/latest/admin-guide/devices.html */
const firstPtyMajor = 136;
const lastPtyMajor = 143;

/**
 * Finds the terminals of processes by /proc, on Linux alone: a worker has none of its own, and macOS and Windows tell
 * nobody which one another process has once its hook has ended.
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

/** The pseudo-terminal of a process of this user's, or undefined. */
async function deviceOf(pid: number): Promise<string | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "latin1");
    // Behind the name, which may hold anything: state, parent, group, session, terminal.
    const number = Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[4]);
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

async function envOf(pid: number): Promise<Terminal["env"]> {
  const text = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
  const entries = text.split("\0").map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)]);
  return Object.fromEntries(entries.filter(([name]) => telling.some((one) => one === name)));
}

/** In one write, so that it does not mix with the agent's own; without waiting for a terminal that is stopped. */
async function write(device: string, text: string): Promise<void> {
  try {
    const terminal = await open(device, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    try {
      await terminal.write(text);
    } finally {
      await terminal.close();
    }
  } catch (error) {
    throw new DeliveryError("unavailable", `the terminal takes nothing (${errnoOf(error) ?? "unknown"})`);
  }
}
