import type * as z from "zod";

/** Where settings may live: the user's for all projects, the project's own (committed), the user's for one project. */
export const scopes = ["user", "project", "local"] as const;
export type Scope = (typeof scopes)[number];

/** What decides where an agent's files are. */
export interface InstallEnvironment {
  readonly home: string;
  /** The project's folder, for the scopes `project` and `local`. */
  readonly project: string;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

/** A settings file that may hold hooks. */
export interface SettingsFile {
  readonly path: string;
  readonly shape: SettingsShape;
}

/**
 * How hooks are laid out in a settings file.
 * - `wrapped`: JSON, `{ "hooks": { event: [{ matcher?, hooks: [entry] }] } }`
 * - `bare`: the same map as the whole file
 * - `flat`: JSON, `{ "version": 1, "hooks": { event: [entry] } }`
 * - `tables`: TOML, one `[[hooks]]` table per entry with its `event`
 */
export const settingsShapes = ["wrapped", "bare", "flat", "tables"] as const;
export type SettingsShape = (typeof settingsShapes)[number];

/** How one hook entry is written. */
export interface EntryForm {
  /** Name of the member that holds the command line, default `command`. */
  readonly command?: string;
  /** Name of the member that holds the timeout, default `timeout`. */
  readonly timeout?: string;
  /** Name of the command's member on Windows, where it is another. */
  readonly windowsCommand?: string;
  /** Members written before these two, default `{ "type": "command" }`; none in `tables`. */
  readonly constants?: Readonly<Record<string, string | number | boolean>>;
  /** Members by which the agent shows the hook instead of its command line; written last. Absent: it has none. */
  readonly labels?: Readonly<Record<"name" | "description", string>>;
}

/** A file that may switch hooks off: a policy, a user's switch, a trust list. */
export interface HookSwitch {
  /** With `*.json` for its last part: every such file of that folder. */
  readonly path: string;
  /** Top-level settings that switch hooks off when they have this value, or a value of this list. */
  readonly off: Readonly<Record<string, unknown>>;
  /** Members, from the outside in, that lead to a list of single hooks that are switched off, by name or command. */
  readonly list?: readonly string[];
  /** The same as `off` and `list` for settings that only older versions read. */
  readonly olderOff?: HookSwitch["off"];
  readonly olderList?: HookSwitch["list"];
}

/** A file that beckon does not write and in which an agent's hooks may stand as well. */
export interface OtherHookFile {
  readonly path: string;
  /** Top-level member with hooks by event. */
  readonly member: string;
  /** Names in that member that are no events. */
  readonly except: readonly string[];
  /** What the agent does with hooks in both files, as a sentence without its full stop. */
  readonly effect: string;
}

/** What a settings file may contain that strict JSON does not allow. */
export type JsonTrait = "comments" | "trailing commas" | "a byte-order mark";

/** What an agent's own files say about its trust in beckon's hooks. */
export interface Trust {
  /** `undecided`: the agent will ask when it is started there, and runs no hook before a yes. */
  readonly state: "trusted" | "untrusted" | "undecided" | "unknown";
  readonly detail: string;
  /** What to do about it; absent for `trusted`. */
  readonly cure?: string;
}

/** What an agent's trust is read from. */
export interface TrustRequest {
  readonly environment: InstallEnvironment;
  /** Settings files with beckon's entries, at least one; `target` is the real path. */
  readonly files: readonly { readonly scope: Scope; readonly path: string; readonly target: string }[];
  /** A JSON (with comments) or TOML file as a value; undefined where there is none, or none that can be read. */
  readValue(path: string): Promise<unknown>;
  isBeckonCommand(command: string): boolean;
}

/** How beckon installs itself into an agent. Events go by the agent's own names. */
export interface AgentSettings {
  /** The agent's own folder per user; where it exists, the agent is used. */
  readonly folder: {
    (environment: InstallEnvironment): string;
    /** Environment variables that move it; only an absolute path counts. */
    readonly variables: readonly string[];
  };
  /**
   * Files that may hold hooks, most preferred first. Entries go into the first that exists; where none does, into the
   * last, which is created. `status` and `uninstall` look in all of them.
   */
  files(scope: Scope, environment: InstallEnvironment): readonly SettingsFile[];
  /** Folder, in the agent's own, in which it records sessions as JSON; absent where that is not known. */
  readonly sessions?: string;
  /** Events that `install` registers, each with its timeout in seconds. */
  readonly defaultEvents: Readonly<Record<string, number>>;
  /**
   * Further events that may be registered on request. Not those that only payloads name: an agent may reject its whole
   * settings file for an event it does not know.
   */
  readonly optionalEvents?: readonly string[];
  /** First versions that know an event, where older ones do not tolerate it. */
  readonly since?: Readonly<Record<string, string>>;
  /** Events that must never be registered, each with the reason. The installer refuses them by name. */
  readonly forbiddenEvents?: Readonly<Record<string, string>>;
  readonly timeoutUnit: "s" | "ms";
  /** Longest timeout that may be asked for an event, where the agent does not tolerate more. */
  maxTimeoutSeconds?(nativeEvent: string): number | undefined;
  readonly entry?: EntryForm;
  /** All events that the agent knew in a version, where one hook for any other makes it ignore all hooks. */
  readonly onlyKnown?: { readonly version: string; readonly events: readonly string[] };
  /** What makes the agent ignore the whole file, silently in some versions. beckon keeps it, and warns. */
  readonly ignoresFileWith: readonly JsonTrait[];
  /** The agent's own schema of its settings files, as far as known: it ignores the whole of one that does not fit. */
  schema?(shape: SettingsShape): z.ZodType;
  /** Top-level settings of a hooks file that switch hooks off when they have this value, or a value of this list. */
  readonly offSwitches?: Readonly<Record<string, unknown>>;
  /** Other files that may switch hooks off. */
  switches?(environment: InstallEnvironment): readonly HookSwitch[];
  /** Other files that may hold hooks, and had better not. */
  otherHookFiles?(environment: InstallEnvironment): readonly OtherHookFile[];
  /** Set if the agent runs command lines with `$SHELL -lc`, whatever that is; `before` is the first version that does not. */
  readonly runsLoginShell?: { readonly before: string };
  /** Set where the agent runs a command once although several of its files list it. Measured. */
  readonly runsCommandOnce?: true;
  /** Settings files of other agents whose hooks this one runs too: with entries there, an event arrives twice. */
  readonly alsoRuns?: readonly { readonly agent: string; readonly scopes: readonly Scope[] }[];
  /**
   * Reads whether the agent trusts beckon's hooks; undefined where there is nothing to trust. Absent where it is not
   * known how the agent keeps its trust.
   */
  readTrust?(request: TrustRequest): Promise<Trust | undefined>;
  readonly program?: AgentProgram;
  /** Another program of the agent, which asks through an event that is not registered by default. */
  readonly otherProgram?: {
    readonly title: string;
    readonly event: string;
    /** Paths, one of which exists where it is installed; one that ends with `*`: any name that begins so. */
    paths(environment: InstallEnvironment): readonly string[];
  };
  /** What the user still has to do after an install, one sentence each. */
  readonly afterInstall: readonly string[];
  /** The same after an install into a project's settings, besides. */
  readonly afterProjectInstall?: readonly string[];
}

/** How an agent's program is found. The first `n.n.n` in what it prints for `--version` is its version. */
export interface AgentProgram {
  /** Names on PATH; the first that exists is asked. */
  readonly files: readonly string[];
  /** First version whose hooks can be relied upon, with what is wrong before it. */
  readonly minimumVersion?: { readonly version: string; readonly reason: string };
}
