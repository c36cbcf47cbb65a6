import type { Agent } from "../core/agent.ts";
import { antigravity } from "./antigravity.ts";
import { auggie } from "./auggie.ts";
import { claude } from "./claude.ts";
import { cli } from "./cli.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { droid } from "./droid.ts";
import { gemini } from "./gemini.ts";
import { grok } from "./grok.ts";
import { kilo } from "./kilo.ts";
import { kimi } from "./kimi.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";
import { editorFolders, editorPrograms } from "./shared/agent-paths.ts";

/** All known agents, in the order in which a payload without `--agent` is matched. */
export const agents: readonly Agent[] = [
  droid,
  qwen,
  gemini,
  codex,
  cursor,
  copilot,
  grok,
  kimi,
  opencode,
  kilo,
  pi,
  cline,
  antigravity,
  auggie,
  cli,
  claude,
];

/** Agent whose rules apply to unknown agents, because many agents have adopted Claude Code's hooks. */
export const fallbackAgent: Agent = claude;

/** Finds an agent by name. */
export function agentNamed(name: string): Agent | undefined {
  return agents.find((agent) => agent.name === name);
}

/** Returns the name of an agent for its alias, such as `claude-code`; any other word unchanged. */
export function resolveAgent(word: string): string {
  const isMeant = ({ title, aliases = [] }: Agent) =>
    title.toLowerCase().replaceAll(" ", "-") === word || aliases.includes(word);
  return agents.find(isMeant)?.name ?? word;
}

/** Interpreters whose first argument is the path of the program that they run. */
export const interpreters = new Set(["node", "bun", "MainThread"]);

/**
 * Finds out whose program a process runs, by its possible names and its path: an agent's or, without `agent`, an
 * editor's, though some editors have the name of an agent. Undefined for any other program.
 */
export function findProgramOwner(
  names: readonly string[],
  path: string,
): { readonly agent: string | undefined } | undefined {
  const isEditor = names.some((name) => editorPrograms.has(name));
  const runs = (file: string) => names.some((name) => name === file || name.replace(/\.[cm]?js$/, "") === file);
  const agent = isEditor ? undefined : agents.find(({ settings }) => settings?.program?.files.some(runs))?.name;
  const isFromEditor = isEditor || path.split("/").some((part) => editorFolders.includes(part));
  return agent !== undefined || isFromEditor ? { agent } : undefined;
}

/** Returns an agent's title, such as `Claude Code`; an unknown name unchanged. */
export function agentTitle(name: string): string {
  return agentNamed(name)?.title ?? name;
}
