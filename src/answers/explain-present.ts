import type { AgentEvent } from "../core/event.ts";
import type { RunContext } from "../pipeline/context.ts";

/**
 * Explains that the user is at this machine and can use the agent's own dialog; undefined if the request may be
 * answered outside the agent. If the hook keeps that dialog from opening, this is allowed only if the user is known to
 * be away.
 */
export async function explainPresent(
  event: AgentEvent,
  isSerial: boolean,
  { config, ports }: Pick<RunContext, "config" | "ports">,
): Promise<string | undefined> {
  if (config.answers?.when === "always" && !isSerial) return undefined;
  const { isLocked, idleMs, typedAtMs } = await ports.presence.ask(event.processes ?? []);
  if (isLocked) return undefined;
  const awayMs = config.attention.away;
  const hasTyped = typedAtMs !== undefined && ports.clock.now() - typedAtMs < awayMs;
  if (hasTyped || (idleMs !== undefined && idleMs < awayMs)) return "you are at this machine";
  return isSerial && idleMs === undefined ? "you may be at this machine" : undefined;
}
