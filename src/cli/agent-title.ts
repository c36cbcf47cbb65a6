import { agentNamed } from "../agents/registry.ts";

/** Returns an agent's title, such as `Claude Code`; an unknown name unchanged. */
export function agentTitle(name: string): string {
  return agentNamed(name)?.title ?? name;
}
