import type { AgentSettings } from "./agent-settings.ts";
import type { AgentEvent } from "./event.ts";
import type { Facts } from "./facts.ts";
import type { EventName, Kind } from "./vocabulary.ts";

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
  /** Where the payloads do not say where a transcript is: a file in the agent's own folder that does. */
  readonly index?: {
    readonly name: string;
    /** The absolute path of a session's transcript, or nothing. */
    find(text: string, sessionId: string): string | undefined;
  };
  /** A second file beside the transcript that holds part of the facts. */
  companion?(transcriptPath: string): string;
  read(parts: { readonly head: string; readonly tail: string; readonly companion?: string }): Facts;
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
  /** What the agent said last, where its payloads have that in a place of their own. */
  answerIn?(payload: Readonly<Record<string, unknown>>): string | undefined;
  /** Its sessions end with reason `other` whatever ended them: it is no sign that something went wrong. */
  readonly endsAsOther?: true;
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
