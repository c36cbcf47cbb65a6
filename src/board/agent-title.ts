import { agents } from "../agents/registry.ts";

const titles: ReadonlyMap<string, string> = new Map(agents.map(({ name, title }) => [name, title]));

/** Returns an agent's name for people, such as `Claude Code`; for an unknown agent the given name. */
export function agentTitle(name: string): string {
  return titles.get(name) ?? name;
}
