import type { AgentEvent } from "./event.ts";
import type { Facts } from "./facts.ts";
import type { EventName, Kind } from "./words.ts";

/** What one of an agent's own firings means here. */
export interface FiringRule {
  readonly event: EventName;
  readonly kind: Kind;
}

/** A firing that only repeats what an earlier firing of the same session already said. */
export interface EchoRule {
  /** The later firing: the agent's own name, and its notification type where only that type is an echo. */
  readonly firing: string;
  readonly notificationType?: string;
  /** The earlier firing, by the agent's own name. */
  readonly after: string;
  readonly withinMs: number;
}

/** How an agent's transcript is read. Pure: text in, facts out; broken or half-written lines are passed over. */
export interface TranscriptFormat {
  /** A second file beside the transcript that holds part of the facts. */
  companion?(transcriptPath: string): string;
  read(parts: { readonly head: string; readonly tail: string; readonly companion?: string }): Facts;
}

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
  /** The command line must be the path of a shell script: the app has one for each firing that is registered. */
  readonly isScript?: true;
  /** Members that stand before these, default `{ "type": "command" }`; none in `tables`. */
  readonly constants?: Readonly<Record<string, string | number | boolean>>;
}

/** A file of somebody else's in which hooks are switched off: a policy, a user's own switch, a trust list. */
export interface HookSwitch {
  readonly path: string;
  /** Top-level settings that switch hooks off when they have this value. */
  readonly off: Readonly<Record<string, unknown>>;
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
  readonly timeoutUnit: "s" | "ms";
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

/** Everything beckon knows about one agent. Mostly data. */
export interface Agent<Name extends string = string> {
  /** File name, `--agent` value and the word in the journal. */
  readonly name: Name;
  /** As people call it, e.g. `Claude Code`. */
  readonly title: string;
  /** Page the hook contract was read from. */
  readonly source: string;
  /** Versions whose hooks were captured and measured; absent where the contract is known from documents alone. */
  readonly measured?: readonly string[];
  /** Part of the path of its transcripts; tells the agent where a payload comes without `--agent`. */
  readonly footprint: string;
  /** Its firings by its own names; any other is accepted as `info` under its own name. */
  readonly firings: Readonly<Record<string, FiringRule>>;
  /** Kinds by notification type; an unknown type is `needs-you`. */
  readonly notificationKinds: Readonly<Record<string, Kind>>;
  readonly echoes: readonly EchoRule[];
  /** Whether a payload is this agent's though another's hook took it: it runs hooks from the other's settings too. */
  isOwn?(payload: Readonly<Record<string, unknown>>): boolean;
  /** What its payloads have for an answer where there is none. */
  readonly noAnswer?: string;
  /** Says why a firing is nobody's business (a sub-agent's own end, background work still running), or nothing. */
  falseEnd?(event: AgentEvent): string | undefined;
  /** A kind that the payload shows and the name of the firing does not, or nothing. */
  kindOf?(event: AgentEvent): Kind | undefined;
  readonly transcript?: TranscriptFormat;
  readonly settings?: AgentSettings;
}

/** An identity function, there so that types flow. */
export function defineAgent<const Name extends string>(agent: Agent<Name>): Agent<Name> {
  return agent;
}
