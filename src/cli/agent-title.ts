import { agentNamed, agents } from "../agents/registry.ts";

/** Returns an agent's title, such as `Claude Code`; an unknown name unchanged. */
export function agentTitle(name: string): string {
  return agentNamed(name)?.title ?? name;
}

/** Returns the name of an agent for its alias, such as `claude-code`; any other word unchanged. */
export function resolveAgent(word: string): string {
  const isMeant = ({ title, aliases = [] }: { readonly title: string; readonly aliases?: readonly string[] }) =>
    title.toLowerCase().replaceAll(" ", "-") === word || aliases.includes(word);
  return agents.find(isMeant)?.name ?? word;
}
