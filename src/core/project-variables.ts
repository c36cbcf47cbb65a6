/** Environment variables in which agents pass the session's start folder to hooks. hooks/hook.sh has the same list. */
export const projectVariables = [
  ...(["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "DROID_PROJECT_DIR"] as const),
  ...(["FACTORY_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR"] as const),
] as const;
export type ProjectVariable = (typeof projectVariables)[number];

/** Start folders by variable. Only an agent's own variables count, because it may inherit those of another agent. */
export type ProjectFolders = Readonly<Partial<Record<ProjectVariable, string>>>;

/** Reads the variables that contain an absolute path; undefined if none does. */
export function readProjectFolders(env: Readonly<Record<string, unknown>>): ProjectFolders | undefined {
  const isFolder = (value: unknown) => typeof value === "string" && /^(?:\/|[A-Za-z]:[\\/])[^\0-\x1f]*$/.test(value);
  const found = projectVariables.filter((name) => isFolder(env[name])).map((name) => [name, env[name]]);
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}
