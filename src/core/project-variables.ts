/** Variables in which agents name a session's start folder for their hooks; hooks/hook.sh records the same. */
export const projectVariables = [
  ...(["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "DROID_PROJECT_DIR"] as const),
  ...(["FACTORY_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR"] as const),
] as const;
export type ProjectVariable = (typeof projectVariables)[number];

/** Folders by variable. Agents inherit and copy each other's: only those of the agent that ran the hook count. */
export type ProjectFolders = Readonly<Partial<Record<ProjectVariable, string>>>;

/** Reads the variables that hold an absolute path; undefined if there are none. */
export function readProjectFolders(env: Readonly<Record<string, unknown>>): ProjectFolders | undefined {
  const isFolder = (value: unknown) => typeof value === "string" && /^(?:\/|[A-Za-z]:[\\/])[^\0-\x1f]*$/.test(value);
  const found = projectVariables.filter((name) => isFolder(env[name])).map((name) => [name, env[name]]);
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}
