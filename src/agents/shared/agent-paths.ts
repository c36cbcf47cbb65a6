import { dirname, isAbsolute, join } from "node:path";
import type { AgentSettings, InstallEnvironment, Scope, SettingsShape } from "../../core/agent-settings.ts";

interface FolderRules {
  /** Name of the folder in the user's home folder, and in projects unless `inProjects` is set. */
  readonly name: string;
  readonly inProjects?: string;
  /** Set if the folder is in the XDG config folder of the user, `~/.config` by default. */
  readonly isInConfigFolder?: true;
  /** Environment variable that replaces the path of the agent's folder. */
  readonly pathVariable?: string;
  /** Environment variable that replaces the path of the home folder. */
  readonly homeVariable?: string;
}

/**
 * Makes a function that returns an agent's folder: the user's, or the project's for the scopes `project` and `local`.
 * The function's `variables` are the environment variables that move the folder.
 */
export function agentFolder({ name, inProjects = name, isInConfigFolder, ...variables }: FolderRules) {
  const { pathVariable, homeVariable = isInConfigFolder && "XDG_CONFIG_HOME" } = variables;
  const find = ({ home, project, env }: InstallEnvironment, scope: Scope = "user"): string => {
    if (scope !== "user") return join(project, inProjects);
    const usual = isInConfigFolder ? join(home, ".config") : home;
    return pathIn(env, pathVariable) ?? join(pathIn(env, homeVariable) ?? usual, name);
  };
  return Object.assign(find, { variables: [pathVariable, homeVariable].filter((variable) => variable !== undefined) });
}

/** Reads a path from an environment variable. Ignores a relative path, which would differ in every project. */
function pathIn(env: NodeJS.ProcessEnv, variable: string | undefined): string | undefined {
  const path = variable === undefined ? undefined : env[variable];
  return path && isAbsolute(path) ? path : undefined;
}

/** Makes the function that lists an agent's settings files. `shapes` has the files of each scope, preferred first. */
export function filesIn(
  folder: ReturnType<typeof agentFolder>,
  shapes: Readonly<Partial<Record<Scope, Readonly<Record<string, SettingsShape>>>>>,
): AgentSettings["files"] {
  return (scope, environment) =>
    Object.entries(shapes[scope] ?? {}).map(([path, shape]) => ({
      path: join(folder(environment, scope), path),
      shape,
    }));
}

/** Claude Code's settings files, of all three scopes, for `filesIn`. */
export const claudeFiles = {
  user: { "settings.json": "wrapped" },
  project: { "settings.json": "wrapped" },
  local: { "settings.local.json": "wrapped" },
} as const;

/** Makes a function that picks a path for a platform. All platforms except macOS and Windows use the Linux path. */
export function pathByPlatform(paths: { readonly darwin: string; readonly win32: string; readonly linux: string }) {
  return (platform: NodeJS.Platform): string =>
    platform === "darwin" || platform === "win32" ? paths[platform] : paths.linux;
}

/** Lists a folder and its parents, the nearest first. */
export function listAncestors(path: string): string[] {
  const up = [path];
  for (let folder = dirname(path); folder !== up.at(-1); folder = dirname(folder)) up.push(folder);
  return up;
}

/** Programs of editors in which people use agents. An editor is no agent, even if it has the name of one. */
export const editorPrograms: ReadonlySet<string> = new Set([
  ...["code", "code-insiders", "code-oss", "code-server", "codium", "vscodium", "antigravity", "cursor", "kiro"],
  ...["positron", "trae", "void", "windsurf", "windsurf-next", "zed", "zed-editor", "emacs", "nvim"],
  ...["clion", "goland", "idea", "phpstorm", "pycharm", "rider", "rubymine", "rustrover", "webstorm"],
]);

/** Folders in the user's home that hold the extensions of VS Code and its kin, or the editor's server. */
export const editorFolders: readonly string[] = [
  ...[".vscode", ".vscode-insiders", ".vscode-oss", ".antigravity", ".cursor", ".kiro", ".positron", ".trae", ".void"],
  ...[".windsurf", ".windsurf-next"],
  ...[".vscode-server", ".vscode-server-insiders", ".vscode-remote", ".vscodium-server", ".openvscode-server"],
  ...[".antigravity-server", ".cursor-server", ".kiro-server", ".positron-server", ".trae-server", ".windsurf-server"],
];
