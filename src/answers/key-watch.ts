import { agentNamed } from "../agents/registry.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Ports } from "../core/ports.ts";

type WatchPorts = Pick<Ports, "presence" | "clock">;

/** Interval at which the list of an agent's programs is renewed: one second. */
const listIntervalMs = 1_000;

/** Watches for a key press in the terminal of the agent that made a request. */
export class KeyWatch {
  readonly #event: AgentEvent;
  readonly #ports: WatchPorts;
  readonly #startedWith: number | undefined;
  #processes: readonly number[] = [];
  #listedAtMs = Number.NEGATIVE_INFINITY;

  constructor(event: AgentEvent, ports: WatchPorts) {
    this.#event = event;
    this.#ports = ports;
    this.#startedWith = this.lastKeyAtMs;
  }

  /** True if the terminal is known and a key press there is noticeable. */
  get isPossible(): boolean {
    return this.#listProcesses().length > 0;
  }

  /** True if a key was pressed since the watch began. */
  get isPressed(): boolean {
    return (this.lastKeyAtMs ?? 0) > (this.#startedWith ?? 0);
  }

  /** Time of the last key press, Unix milliseconds; undefined if none is known. */
  get lastKeyAtMs(): number | undefined {
    const times = this.#listProcesses().flatMap((pid) => this.#ports.presence.typedAtMs([pid]) ?? []);
    return times.length > 0 ? Math.max(...times) : undefined;
  }

  /** Lists processes in the terminals to watch, from a list that is a second old at most. */
  #listProcesses(): readonly number[] {
    const nowMs = this.#ports.clock.uptimeMs();
    if (nowMs - this.#listedAtMs >= listIntervalMs) {
      this.#processes = findInTerminals(this.#event, this.#ports);
      this.#listedAtMs = nowMs;
    }
    return this.#processes;
  }
}

/**
 * Finds the agent's process in its terminal. If the hook runs in an agent's background process that serves several
 * terminals, finds every program of that agent in a terminal.
 */
function findInTerminals({ agent, processes = [], callers = [] }: AgentEvent, { presence }: WatchPorts) {
  const own = processes.filter((pid) => presence.noticesKeys([pid])).slice(-1);
  if (own.length > 0) return own;
  const names = agentNamed(agent)?.settings?.program?.files ?? [];
  const last = callers.findLastIndex(([, name]) => names.includes(name));
  const [above] = callers.slice(last + 1);
  const isAdopted = above === undefined || above[0] === 1 || above[1] === "systemd";
  const hasTerminal = callers.some(([pid, name]) => names.includes(name) && presence.noticesKeys([pid]));
  return last >= 0 && (isAdopted || hasTerminal) ? presence.findInTerminals(names) : [];
}
