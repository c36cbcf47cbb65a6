import type * as z from "zod";

/** Places for settings: the user's for all projects, the project's own (committed), the user's for one project. */
export const scopes = ["user", "project", "local"] as const;
export type Scope = (typeof scopes)[number];

/** Inputs that determine where an agent's files are. */
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
 * - `tables`: TOML, one `[[hooks]]` table per entry with its `event`
 */
export const settingsShapes = ["wrapped", "bare", "flat", "tables"] as const;
export type SettingsShape = (typeof settingsShapes)[number];

/** Format of one hook entry. */
export interface EntryForm {
  /** Name of the member that holds the command line, default `command`. */
  readonly command?: string;
  /** Name of the member that holds the timeout, default `timeout`. */
  readonly timeout?: string;
  /** Name of the command's member on Windows, if it differs. */
  readonly windowsCommand?: string;
  /** Members written before these two, default `{ "type": "command" }`; none in `tables`. */
  readonly constants?: Readonly<Record<string, string | number | boolean>>;
  /** Members that the agent shows instead of the hook's command line; written last. Absent if it has none. */
  readonly labels?: Readonly<Record<"name" | "description", string>>;
}

/** File that may disable hooks: a policy, a user's setting, a trust list. */
export interface HookSwitch {
  /** Path of the file; with `*.json` as its last part, every such file of that folder. */
  readonly path: string;
  /** Top-level settings that disable hooks if they have this value, or a value of this list. */
  readonly off: Readonly<Record<string, unknown>>;
  /** Members, from the outside in, that lead to a list of single disabled hooks, by name or command. */
  readonly list?: readonly string[];
  /** Like `off` and `list`, for settings that only older versions read. */
  readonly olderOff?: HookSwitch["off"];
  readonly olderList?: HookSwitch["list"];
}

/** File that beckon does not write, but that may also hold an agent's hooks. */
export interface OtherHookFile {
  readonly path: string;
  /** Top-level member with hooks by event. */
  readonly member: string;
  /** Names in that member that are not events. */
  readonly except: readonly string[];
  /** Effect of having hooks in both files, as a sentence without its full stop. */
  readonly effect: string;
}

/** Syntax in a settings file that strict JSON does not allow. */
export type JsonTrait = "comments" | "trailing commas" | "a byte-order mark";

/** Agent's trust in beckon's hooks, according to its own files. */
export interface Trust {
  /** `undecided`: the agent will ask when it starts there, and runs no hook before a yes. */
  readonly state: "trusted" | "untrusted" | "undecided" | "unknown";
  readonly detail: string;
  /** Advice on getting trust; absent for `trusted`. */
  readonly cure?: string;
}

/** Inputs for reading an agent's trust. */
export interface TrustRequest {
  readonly environment: InstallEnvironment;
  /** Settings files with beckon's entries, at least one; `target` is the real path. */
  readonly files: readonly { readonly scope: Scope; readonly path: string; readonly target: string }[];
  /** Reads a JSON (with comments) or TOML file as a value; undefined if it is missing or unreadable. */
  readValue(path: string): Promise<unknown>;
  isBeckonCommand(command: string): boolean;
}

/** Rules for installing beckon into an agent. Events have the agent's own names. */
export interface AgentSettings {
  /** Agent's own folder per user. If it exists, the agent is in use. */
  readonly folder: {
    (environment: InstallEnvironment): string;
    /** Environment variables that move it; only an absolute path counts. */
    readonly variables: readonly string[];
  };
  /**
   * Lists the files that may hold hooks, most preferred first. Entries go into the first that exists or, if none does,
   * into the last, which is created. `status` and `uninstall` check all of them.
   */
  files(scope: Scope, environment: InstallEnvironment): readonly SettingsFile[];
  /** Folder, in the agent's own, in which it records sessions as JSON; absent if unknown. */
  readonly sessions?: string;
  /** Events that `install` registers, each with its timeout in seconds. */
  readonly defaultEvents: Readonly<Record<string, number>>;
  /**
   * Further events that may be registered on request. Excludes events that only payloads name: an agent may reject its
   * whole settings file for an event it does not know.
   */
  readonly optionalEvents?: readonly string[];
  /** First versions that know an event, if older versions do not tolerate it. */
  readonly since?: Readonly<Record<string, string>>;
  /** Events that must never be registered, each with the reason. The installer rejects them by name. */
  readonly forbiddenEvents?: Readonly<Record<string, string>>;
  readonly timeoutUnit: "s" | "ms";
  /** Returns the longest timeout the agent accepts for an event; undefined without a limit. */
  maxTimeoutSeconds?(nativeEvent: string): number | undefined;
  readonly entry?: EntryForm;
  /** All events known to a version that ignores every hook if one of them is for another event. */
  readonly onlyKnown?: { readonly version: string; readonly events: readonly string[] };
  /** Syntax that makes the agent ignore the whole file, silently in some versions. beckon keeps it and warns. */
  readonly ignoresFileWith: readonly JsonTrait[];
  /** Returns the agent's schema of its settings files, as far as known. The agent ignores a file that violates it. */
  schema?(shape: SettingsShape): z.ZodType;
  /** Top-level settings of a hooks file that disable hooks if they have this value, or a value of this list. */
  readonly offSwitches?: Readonly<Record<string, unknown>>;
  /** Lists other files that may disable hooks. */
  switches?(environment: InstallEnvironment): readonly HookSwitch[];
  /** Lists other files that may hold hooks, but should not. */
  otherHookFiles?(environment: InstallEnvironment): readonly OtherHookFile[];
  /** Set if the agent runs command lines with `$SHELL -lc`. `before` is the first version that does not. */
  readonly runsLoginShell?: { readonly before: string };
  /** Set if the agent runs a command only once even if several of its files list it. Measured. */
  readonly runsCommandOnce?: true;
  /** Settings files of other agents whose hooks this agent also runs. With entries there, an event arrives twice. */
  readonly alsoRuns?: readonly { readonly agent: string; readonly scopes: readonly Scope[] }[];
  /**
   * Reads whether the agent trusts beckon's hooks; undefined if no trust is needed. Absent if it is unknown where the
   * agent stores that.
   */
  readTrust?(request: TrustRequest): Promise<Trust | undefined>;
  readonly program?: AgentProgram;
  /** Another program of the agent, which asks through an event that is not registered by default. */
  readonly otherProgram?: {
    readonly title: string;
    readonly event: string;
    /** Lists paths, one of which exists if it is installed. A path ending with `*` matches names with that prefix. */
    paths(environment: InstallEnvironment): readonly string[];
  };
  /** Steps left for the user after an install, one sentence each. */
  readonly afterInstall: readonly string[];
  /** Further steps after an install into a project's settings. */
  readonly afterProjectInstall?: readonly string[];
}

/** Detection of an agent's program. The first `n.n.n` in the output of `--version` is its version. */
export interface AgentProgram {
  /** Names on PATH; the first that exists is run. */
  readonly files: readonly string[];
  /** First version with reliable hooks, and the problem with older ones. */
  readonly minimumVersion?: { readonly version: string; readonly reason: string };
}
