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
  /** `wrapped`: the event map is under a top-level `hooks`; `bare`: the file is the event map. */
  readonly shape: "wrapped" | "bare";
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
  /** What makes the agent ignore the whole file, without a word in some versions. beckon keeps it, and warns. */
  readonly ignoresFileWith: readonly JsonTrait[];
  /** Top-level settings that switch hooks off when they have this value. */
  readonly offSwitches: Readonly<Record<string, unknown>>;
  /** What the user still has to do after an install, one sentence each. */
  readonly afterInstall: readonly string[];
}

/** Everything beckon knows about one agent. Mostly data. */
export interface Agent<Name extends string = string> {
  /** File name, `--agent` value and the word in the journal. */
  readonly name: Name;
  /** As people call it, e.g. `Claude Code`. */
  readonly title: string;
  /** Page the hook contract was read from. */
  readonly source: string;
  /** Part of the path of its transcripts; tells the agent where a payload comes without `--agent`. */
  readonly footprint: string;
  /** Its firings by its own names; any other is accepted as `info` under its own name. */
  readonly firings: Readonly<Record<string, FiringRule>>;
  /** Kinds by notification type; an unknown type is `needs-you`. */
  readonly notificationKinds: Readonly<Record<string, Kind>>;
  readonly echoes: readonly EchoRule[];
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
