import type { AgentEvent } from "../core/event.ts";
import type { RunContext } from "../pipeline/context.ts";
import type { KeyWatch } from "./key-watch.ts";

/** Longest time to find out if the user is at this machine: one second. The agent waits meanwhile. */
const limitMs = 1_000;

/**
 * Explains why a request is left to the agent's own dialog, mostly because the user is at this machine. Undefined if
 * the request may be answered outside the agent. If the hook keeps that dialog from opening, the result is undefined
 * only if the user is known to be away and a key press in the agent's terminal is noticeable.
 * @param keys watch for that key press; undefined if the agent's own dialog opens beside the hook
 */
export async function explainPresent(
  { processes = [] }: AgentEvent,
  keys: KeyWatch | undefined,
  { config, ports }: Pick<RunContext, "config" | "ports">,
): Promise<string | undefined> {
  if (config.answers?.when === "always" && !keys) return undefined;
  if (keys?.isPossible === false) return "no key in the agent's terminal could end the wait";
  const awayMs = config.attention.away;
  const { isLocked, idleMs, typedAtMs = keys?.lastKeyAtMs } = await ports.presence.ask(processes, limitMs);
  if (isLocked) return undefined;
  const hasTyped = typedAtMs !== undefined && ports.clock.now() - typedAtMs < awayMs;
  if (hasTyped || (idleMs !== undefined && idleMs < awayMs)) return "you are at this machine";
  return keys && idleMs === undefined ? "you may be at this machine" : undefined;
}
