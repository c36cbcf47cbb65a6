import { checkedEnvironment, type TerminalEnvironment } from "../../core/terminal-environment.ts";
import { sessionBusAddress } from "../desktop-session-bus.ts";
import { BusError, SessionBus } from "../session-bus.ts";
import { isOwnSocket } from "./own-socket.ts";
import type { Question } from "./question.ts";

/**
 * Creates a function that calls methods on the session bus and the system bus. The first call to a bus opens a
 * connection that all calls use and that the signal closes. Calls never start services.
 * @param env the agent's environment
 * @param fallback the worker's environment, used if the agent's environment names no session bus
 */
export function createBuses(
  env: TerminalEnvironment,
  fallback: NodeJS.ProcessEnv,
  systemBus: string,
  signal: AbortSignal,
): Question["call"] {
  const open = async (address: string | undefined, others: readonly number[]): Promise<SessionBus> => {
    const path = address?.slice("unix:path=".length).split(",")[0];
    if (address !== undefined && path !== undefined && isOwnSocket(path, others))
      return SessionBus.open(address, signal);
    throw new BusError("connection", "this user has no session bus");
  };
  const addresses = {
    session: env.DBUS_SESSION_BUS_ADDRESS ?? fallbackAddress(fallback),
    system: `unix:path=${systemBus}`,
  };
  const opened: Partial<Record<keyof typeof addresses, Promise<SessionBus>>> = {};
  return async (bus, call) => {
    opened[bus] ??= open(addresses[bus], bus === "system" ? [0] : []);
    return (await opened[bus]).call({ ...call, startsService: false });
  };
}

function fallbackAddress(env: NodeJS.ProcessEnv): string | undefined {
  const name = "DBUS_SESSION_BUS_ADDRESS";
  return checkedEnvironment({ [name]: sessionBusAddress(env) }, [name])[name];
}
