/** Where settings may live: for the user everywhere, in the project and committed, in the project and private. */
export const scopes = ["user", "project", "local"] as const;
export type Scope = (typeof scopes)[number];

export interface SettingsPlace {
  readonly home: string;
  /** The project's folder, for the scopes `project` and `local`. */
  readonly project: string;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

export interface SettingsFile {
  readonly path: string;
  readonly shape: SettingsShape;
}

/**
 * How hooks lie in a settings file.
 * - `wrapped`: JSON, `{ "hooks": { event: [{ matcher?, hooks: [entry] }] } }`
 * - `bare`: the same map as the whole file
 * - `flat`: JSON, `{ "version": 1, "hooks": { event: [entry] } }`
 * - `tables`: TOML, one `[[hooks]]` table per entry with its `event`
 */
export const settingsShapes = ["wrapped", "bare", "flat", "tables"] as const;
export type SettingsShape = (typeof settingsShapes)[number];

/** How one hook entry is written. */
export interface EntryForm {
  /** The member that holds the command line, default `command`. */
  readonly command?: string;
  /** The member that holds the timeout, default `timeout`. */
  readonly timeout?: string;
  /** Where it differs on Windows. */
  readonly windowsCommand?: string;
  /** Members that stand before these, default `{ "type": "command" }`; none in `tables`. */
  readonly constants?: Readonly<Record<string, string | number | boolean>>;
}

/** A file of somebody else's in which hooks are switched off: a policy, a user's own switch, a trust list. */
export interface HookSwitch {
  /** With `*.json` for its last part: every such file of that folder. */
  readonly path: string;
  /** Top-level settings that switch hooks off when they have this value. */
  readonly off: Readonly<Record<string, unknown>>;
  /** The members, from the outside in, that lead to a list of single hooks which are switched off, by their command. */
  readonly list?: readonly string[];
}

/** A file in which an agent's hooks may lie as well, and that beckon does not write to. */
export interface HooksBeside {
  readonly path: string;
  /** Top-level member with hooks by event. */
  readonly member: string;
  /** What lies there too and is no event. */
  readonly except: readonly string[];
  /** What the agent makes of two such files. */
  readonly effect: string;
}

/** What a settings file may have that strict JSON has not. */
export const jsonTraits = ["comments", "trailing commas", "a byte-order mark"] as const;
export type JsonTrait = (typeof jsonTraits)[number];

/** How beckon installs itself into an agent. */
export interface AgentSettings {
  /** The agent's own folder per user; its presence means the agent is used here. */
  folder(place: SettingsPlace): string;
  /**
   * Files that may hold hooks, most preferred first. Entries go into the first that exists; where none does, into the
   * last, which is created. `status` and `uninstall` look in all of them.
   */
  files(scope: Scope, place: SettingsPlace): readonly SettingsFile[];
  /** The agent's own names of the events that are registered, each with its timeout in seconds. */
  readonly register: Readonly<Record<string, number>>;
  /**
   * Its own names of events that may be registered besides, for whoever asks for them. Names that only its payloads
   * have are none: for one it does not know, an agent may reject the whole file.
   */
  readonly optional?: readonly string[];
  /** The first versions that know an event, where older ones take offence at it. */
  readonly since?: Readonly<Record<string, string>>;
  readonly timeoutUnit: "s" | "ms";
  /** Most seconds that may be asked for a firing, where the agent takes offence at more. */
  longest?(firing: string): number | undefined;
  readonly entry?: EntryForm;
  /** Top-level members a new file must start with, e.g. `{ "version": 1 }`. */
  readonly preamble?: Readonly<Record<string, unknown>>;
  /** Firings that must never be registered, each with the reason. The installer refuses them by name. */
  readonly never?: Readonly<Record<string, string>>;
  /** What makes the agent ignore the whole file, without a word in some versions. beckon keeps it, and warns. */
  readonly ignoresFileWith: readonly JsonTrait[];
  /** Top-level settings that switch hooks off when they have this value. */
  readonly offSwitches: Readonly<Record<string, unknown>>;
  /** Other files that switch hooks off: policies of an organisation, settings beside the hooks file. */
  switches?(place: SettingsPlace): readonly HookSwitch[];
  /** Files that should not hold hooks beside those above. */
  beside?(place: SettingsPlace): readonly HooksBeside[];
  /** Settings files of other agents whose hooks this one runs too: with entries there, an event arrives twice. */
  readonly alsoRuns?: readonly { readonly agent: string; readonly scopes: readonly Scope[] }[];
  /** How the program is found and asked for its version, and the first version whose hooks can be relied upon. */
  readonly program?: AgentProgram;
  /** What the user still has to do after an install, one sentence each. */
  readonly afterInstall: readonly string[];
}

export interface AgentProgram {
  /** Names on PATH, first that exists. */
  readonly files: readonly string[];
  /** Default `["--version"]`; the first `n.n.n` in what it prints is the version. */
  readonly versionArgs?: readonly string[];
  /** The first version whose hooks can be relied upon, with what is wrong before it. */
  readonly floor?: { readonly version: string; readonly reason: string };
}
