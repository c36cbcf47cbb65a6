import { type AgentTerminals, agentTerminals } from "../world/agent-terminals.ts";
import { type DesktopSession, startDesktopSession } from "../world/desktop-session.ts";
import { attachCommand } from "./terminal.ts";

/** A desktop in the sandbox: X server, window manager, notification daemon, and a window with the agent's terminal. */
export class Desktop {
  readonly #session: DesktopSession;
  readonly #world: AgentTerminals;

  private constructor(session: DesktopSession, world: AgentTerminals) {
    this.#session = session;
    this.#world = world;
  }

  /** Starts the desktop. Programs that are started later run on it. */
  static async start(): Promise<Desktop> {
    const session = await startDesktopSession();
    for (const name of ["DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"])
      process.env[name] = session.env[name];
    const world = agentTerminals({ ...process.env, TERM: "xterm-256color" });
    await world.startWindowManager();
    return new Desktop(session, world);
  }

  /** Counts the visible notifications. Their text could only be read by closing them. */
  bubbles(): Promise<number> {
    return this.#session.displayed();
  }

  /** Closes the visible notifications. */
  async clear(): Promise<void> {
    await this.#session.history();
  }

  /** Opens a window with the agent's terminal, and raises it. */
  async openWindow(): Promise<void> {
    this.#world.start("xterm", ["-T", "seat", "-e", ...attachCommand]);
    await this.#world.raise("seat");
  }

  /** True if the terminal of a process has the focus, as beckon sees it. */
  async isFocused(pid: number): Promise<boolean | undefined> {
    return (await this.#world.port().ask([pid])).isFocused;
  }
}
