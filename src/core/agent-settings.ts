import type * as z from "zod";

/**
 * Scopes of settings files: `user` for every project of the user, `project` for one project and everybody who works on
 * it, `local` for one project and this user only.
 */
export const scopes = ["user", "project", "local"] as const;
export type Scope = (typeof scopes)[number];

/** Inputs that determine the paths of an agent's files. */
export interface InstallEnvironment {
  readonly home: string;
  /** Folder of the project, for the scopes `project` and `local`. */
  readonly project: string;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

/** Settings file that may hold hooks. */
export interface SettingsFile {
  readonly path: string;
  readonly shape: SettingsShape;
}

/**
 * Layouts of hooks in a settings file.
 * - `wrapped`: JSON, `{ "hooks": { event: [{ matcher?, hooks: [entry] }] } }`
 * - `bare`: the same map as the whole file
 * - `flat`: JSON, `{ "version": 1, "hooks": { event: [entry] } }`
 * - `named`: JSON, `{ "beckon": { event: [entry] } }`, next to the sets of other programs
 * - `tables`: TOML, one `[[hooks]]` table per entry with its `event`
 * - `module`: JavaScript module that only beckon writes; it has a line `const commands = { event: command };`
 * - `script`: shell script that only beckon writes; its name is the event, and its last line the command
 *
 * Three layouts have no hooks, but servers of the Model Context Protocol (MCP):
 * - `servers`: JSON, `{ "mcpServers": { name: { "command": program, "args": [] } } }`
 * - `local-servers`: JSON, `{ "mcp": { name: { "type": "local", "command": [program] } } }`
 * - `server-tables`: TOML, one `[mcp_servers.name]` table per server
 */
export const settingsShapes = [
  ...(["wrapped", "bare", "flat", "named", "tables", "module", "script"] as const),
  ...(["servers", "local-servers", "server-tables"] as const),
] as const;
export type SettingsShape = (typeof settingsShapes)[number];

/** Shapes of files with MCP servers instead of hooks. */
export const serverShapes: readonly SettingsShape[] = ["servers", "local-servers", "server-tables"];

/** Shapes of files that only beckon writes. Installing replaces the whole file, uninstalling deletes it. */
export const ownShapes: readonly SettingsShape[] = ["module", "script"];

/** Format of one hook entry in a settings file. */
export interface EntryForm {
  /** Name of the member that holds the command line, default `command`. */
  readonly command?: string;
  /** Name of the member that holds the timeout, default `timeout`. */
  readonly timeout?: string;
  /** Name of the member that holds the command line on Windows; default: the same as on other systems. */
  readonly windowsCommand?: string;
  /**
   * Members with fixed values, written before the command line and the timeout. Default: `{ "type": "command" }`; in
   * the shape `tables`, none.
   */
  readonly constants?: Readonly<Record<string, string | number | boolean>>;
  /** Members that the agent shows in place of the hook's command line, written last; absent if the agent has none. */
  readonly labels?: Readonly<Record<"name" | "description", string>>;
}

/** File that may disable hooks, such as an administrator's policy or the user's settings. */
export interface HookSwitch {
  /** Path of the file. If its last part is `*.json`, every JSON file in its folder is meant. */
  readonly path: string;
  /** Top-level settings that disable all hooks, each with its disabling value or a list of disabling values. */
  readonly off: Readonly<Record<string, unknown>>;
  /** Member names, outermost first, that lead to a list of disabled hooks. The list holds hook names or commands. */
  readonly list?: readonly string[];
  /** Settings like those in `off` that only older versions of the agent read. */
  readonly olderOff?: HookSwitch["off"];
  /** Member names like those in `list`, for a list that only older versions of the agent read. */
  readonly olderList?: HookSwitch["list"];
}

/** File that beckon does not write, but that may also hold an agent's hooks. */
export interface OtherHookFile {
  readonly path: string;
  /** Top-level member that holds the hooks by event. */
  readonly member: string;
  /** Names in `member` that are not events. */
  readonly except: readonly string[];
  /** Effect of having hooks both in this file and in a settings file, as a sentence without its full stop. */
  readonly effect: string;
}

/** Syntax in a settings file that strict JSON does not allow. */
export type JsonTrait = "comments" | "trailing commas" | "a byte-order mark";

/** State of an agent's trust in beckon's hooks, according to the agent's own files. */
export interface Trust {
  /** `undecided` means that the agent will ask the user at its next start, and runs no hook until the user agrees. */
  readonly state: "trusted" | "untrusted" | "undecided" | "unknown";
  readonly detail: string;
  /** Advice on how to make the agent trust the hooks; absent for `trusted`. */
  readonly cure?: string;
}

/** Inputs for finding out whether an agent trusts beckon's hooks. */
export interface TrustRequest {
  readonly environment: InstallEnvironment;
  /** Settings files that contain beckon's entries, at least one. `target` is the path with links resolved. */
  readonly files: readonly { readonly scope: Scope; readonly path: string; readonly target: string }[];
  /** Parses a JSON file (comments allowed) or a TOML file; undefined if the file is missing or unreadable. */
  readValue(path: string): Promise<unknown>;
  isBeckonCommand(command: string): boolean;
}

/** Rules for installing beckon into an agent. All event names are the agent's own. */
export interface AgentSettings {
  /** Agent's folder in the user's home. If the folder exists, the agent is in use. */
  readonly folder: {
    (environment: InstallEnvironment): string;
    /** Environment variables that set another folder. Only absolute paths count. */
    readonly variables: readonly string[];
  };
  /** Lists further folders. If one of them exists, the agent is in use. */
  otherFolders?(environment: InstallEnvironment): readonly string[];
  /**
   * Lists the files that may hold hooks, most preferred first. `install` writes to the first file that exists. If none
   * exists, `install` creates the last file of the list. `status` and `uninstall` check all files.
   *
   * Files with one of the `ownShapes` are chosen differently, because the user may have a file of the same name: the
   * first file that beckon wrote, or else the first path at which no file exists. An agent with the shape `script` has
   * at least one file for each event.
   */
  files(scope: Scope, environment: InstallEnvironment): readonly SettingsFile[];
  /** Lists the user's files with MCP servers, most preferred first; absent if beckon cannot register its tools there. */
  servers?(environment: InstallEnvironment): readonly SettingsFile[];
  /** Name of the subfolder of `folder` in which the agent stores its sessions as JSON files; absent if unknown. */
  readonly sessions?: string;
  /** Events that `install` registers by default, each with its timeout in seconds. */
  readonly defaultEvents: Readonly<Record<string, number>>;
  /**
   * Further events that the user may register. Events known only from payloads are not listed: an agent may reject its
   * whole settings file because of an unknown event.
   */
  readonly optionalEvents?: readonly string[];
  /** First version that supports an event, for each event that older versions do not tolerate. */
  readonly since?: Readonly<Record<string, string>>;
  /** Events that must never be registered, each with the reason. The installer refuses to register them. */
  readonly forbiddenEvents?: Readonly<Record<string, string>>;
  readonly timeoutUnit: "s" | "ms";
  /** Returns the longest timeout that the agent accepts for an event, in seconds; undefined if there is no limit. */
  maxTimeoutSeconds?(nativeEvent: string): number | undefined;
  readonly entry?: EntryForm;
  /** Returns the text of a `module` or `script` that runs command lines, by event. Required for these shapes. */
  ownText?(commands: Readonly<Record<string, string>>): string;
  /**
   * Version that ignores all hooks if one hook is for an unknown event. `events` lists the events known to this
   * version. Absent if the agent has no such version.
   */
  readonly onlyKnown?: { readonly version: string; readonly events: readonly string[] };
  /** Syntax because of which the agent ignores the file, sometimes silently. beckon keeps the syntax and warns. */
  readonly ignoresFileWith?: readonly JsonTrait[];
  /** Returns a schema for the agent's settings files, as far as known. The agent ignores files that violate it. */
  schema?(shape: SettingsShape): z.ZodType;
  /** Top-level settings of a hooks file that disable all hooks, each with its disabling value or values. */
  readonly offSwitches?: Readonly<Record<string, unknown>>;
  /** Lists other files that may disable hooks. */
  switches?(environment: InstallEnvironment): readonly HookSwitch[];
  /** Lists other files that may hold hooks, but should not. */
  otherHookFiles?(environment: InstallEnvironment): readonly OtherHookFile[];
  /** Set if the agent runs command lines with `$SHELL -lc`. `before` is the first version that no longer does. */
  readonly runsLoginShell?: { readonly before: string };
  /** Set if the agent runs a command only once although several settings files list it. Measured, not documented. */
  readonly runsCommandOnce?: true;
  /** Other agents whose settings files this agent reads too. If beckon is installed there too, events arrive twice. */
  readonly alsoRuns?: readonly { readonly agent: string; readonly scopes: readonly Scope[] }[];
  /**
   * Finds out whether the agent trusts beckon's hooks; undefined if hooks need no trust. Absent if nothing is known
   * about the agent's trust.
   */
  readTrust?(request: TrustRequest): Promise<Trust | undefined>;
  readonly program?: AgentProgram;
  /** Second program of the agent. It asks the user through an event that is not registered by default. */
  readonly otherProgram?: {
    readonly title: string;
    readonly event: string;
    /** Lists paths; the program is installed if one exists. A path ending with `*` matches names with that prefix. */
    paths(environment: InstallEnvironment): readonly string[];
  };
  /** Steps that the user still has to do after an installation, one sentence each. */
  readonly afterInstall: readonly string[];
  /** Additional steps after an installation into a project's settings. */
  readonly afterProjectInstall?: readonly string[];
}

/** Program of an agent. The first `n.n.n` in the output of its `--version` is its version. */
export interface AgentProgram {
  /** Names of the program on PATH. The first name that exists is run. */
  readonly files: readonly string[];
  /** First version whose hooks are reliable, and the problem with older versions. */
  readonly minimumVersion?: { readonly version: string; readonly reason: string };
  /** First version that beckon supports only from the agent's documentation, without having recorded its payloads. */
  readonly unmeasuredFrom?: string;
}

/** Facts about beckon that a plugin's manifest states. */
export interface PluginFacts {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly keywords: readonly string[];
}

/**
 * Returns the parsed content of a JSON or TOML file. If the last part of the path is `*.json`, returns the content of
 * every JSON file in the folder. Skips files that are missing or unreadable.
 */
type ReadValues = (path: string) => Promise<readonly unknown[]>;

/** Rules for installing beckon's hooks into an agent as a plugin, instead of through the agent's settings files. */
export interface AgentPlugin {
  /** Agent's own word for a plugin. */
  readonly word: "plugin" | "extension";
  /** URL of the page that describes the plugin format. */
  readonly source: string;
  /** Variable in a hook's command line that the agent replaces with the path of the plugin's folder. */
  readonly folderVariable: string;
  /** Returns the content of each manifest file that the agent requires, by path. Leaves out `hooks/hooks.json`. */
  manifests(facts: PluginFacts): Readonly<Record<string, object>>;
  /** Returns the command lines with which the user installs the plugin from a folder. The folder's name is `beckon`. */
  installCommands(folder: string): readonly string[];
  /** Command line that removes the plugin. */
  readonly uninstallCommand: string;
  /** Lists the folders of beckon plugins that the agent has installed and enabled. */
  installedIn(environment: InstallEnvironment, readValues: ReadValues): Promise<readonly string[]>;
}
