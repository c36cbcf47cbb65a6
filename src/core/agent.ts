import type { AgentPlugin } from "./agent-plugin.ts";
import type { AgentSettings } from "./agent-settings.ts";
import type { AgentEvent } from "./event.ts";
import type { FoundFacts, RunningTask } from "./facts.ts";
import { asText } from "./json-value.ts";
import type { ProjectVariable } from "./project-variables.ts";
import type { HookEventName, Kind } from "./vocabulary.ts";

/** What one of an agent's native events means to beckon. */
export interface EventMapping {
  /** `Prompt` has the kind `info`, though nobody is told of it. */
  readonly event: HookEventName;
  readonly kind: Kind;
}

/** A native event that only repeats what an earlier native event of the same session already said. */
export interface EchoRule {
  /** The later native event. */
  readonly nativeEvent: string;
  /** Limits the rule to notifications of this type; absent: any. */
  readonly notificationType?: string;
  /** The earlier native event. */
  readonly after: string;
  readonly withinMs: number;
}

/** A hook's JSON payload. No field is known to have the type it should have. */
export type Payload = Readonly<Record<string, unknown>>;

/** The input of the tool a payload is about, by whichever name the agent gives it; undefined where there is none. */
export function toolInputOf({ tool_input, toolInput, toolArgs }: Payload): unknown {
  return tool_input ?? toolInput ?? toolArgs;
}

/** Reads the id that a payload gives for its tool call, as the transcript has it; most agents' requests have none. */
export function readCallId({ tool_call_id, toolCallId }: Payload): string | undefined {
  return asText(tool_call_id) ?? asText(toolCallId);
}

/** What beckon reads from a payload; `answer` is what the agent said last. */
export const payloadFacts = [
  "nativeEvent",
  "sessionId",
  "turnId",
  "cwd",
  "transcriptPath",
  "notificationType",
  "message",
  "reason",
  "answer",
] as const;
export type PayloadFact = (typeof payloadFacts)[number];

/** How an agent's payloads are read. Texts come out as they stand in the payload; its reader cleans and cuts them. */
export interface PayloadFormat {
  /**
   * Names of the fields that hold a fact, in snake_case: the payload may have them in camelCase or kebab-case instead.
   * The first field that holds a text counts.
   */
  readonly fields: Readonly<Record<PayloadFact, readonly string[]>>;
  /** Facts that are more than one text field; asked where `fields` has none. */
  readonly readers: Readonly<Partial<Record<PayloadFact, (payload: Payload) => string | undefined>>>;
  /** The session's title, where payloads have it. */
  title?(payload: Payload): string | undefined;
  /** What stands in place of an answer where there is none. */
  readonly noAnswer?: string;
}

/** Author of an agent's prompt. */
export type PromptAuthor = "person" | "program";

/** How an agent's transcript is read. Pure: text in, facts out; broken or half-written lines are passed over. */
export interface TranscriptFormat {
  /** A file in the agent's own folder that tells where a session's transcript is, for payloads that do not. */
  readonly index?: {
    readonly name: string;
    /** Absolute path of a session's transcript, or undefined. */
    find(text: string, sessionId: string): string | undefined;
  };
  /**
   * Path of a session's transcript in the agent's own folder, for payloads that do not tell; ids are `[A-Za-z0-9_-]+`.
   */
  pathOf?(folder: string, sessionId: string): string;
  /** Path of a second file that holds part of the facts. */
  companion?(transcriptPath: string): string;
  /** Transcripts of a session's sub-agents, where they have files of their own; ids are `[A-Za-z0-9_-]+`. */
  readonly subAgents?: {
    pathOf(transcriptPath: string, id: string): string;
    /** What a sub-agent's calls without a result ask for, one line each. */
    requests(text: string): readonly string[];
  };
  /** Set if lines may come seconds after the hook that is about them. */
  readonly isLate?: true;
  read(parts: { readonly head: string; readonly tail: string; readonly companion?: string }): FoundFacts;
  /** Author of the prompt with this `turnId`, by a line of the transcript's end; undefined without such a line. */
  promptAuthor?(tail: string, turnId: string): PromptAuthor | undefined;
}

/** Everything beckon knows about one agent. Mostly data. Native events go by the agent's own names throughout. */
export interface Agent<Name extends string = string> {
  /** File name, `--agent` value and the word in the journal. */
  readonly name: Name;
  /** As people call it, e.g. `Claude Code`. */
  readonly title: string;
  /** URL of the page the hook contract was read from. */
  readonly source: string;
  /** Part of its transcripts' paths; identifies the agent of a payload that comes without `--agent`. */
  readonly transcriptPathHint: string;
  /** What its native events mean; any other is accepted as `info` under its own name. */
  readonly nativeEvents: Readonly<Record<string, EventMapping>>;
  /** Kinds by notification type; an unknown type is `needs-you`. */
  readonly notificationKinds: Readonly<Record<string, Kind>>;
  readonly echoes: readonly EchoRule[];
  readonly payload: PayloadFormat;
  /**
   * Whether a payload is this agent's although another agent's hook took it: some run the hooks of others' settings.
   */
  recognizes?(payload: Payload): boolean;
  /** Its sessions end with reason `other` whatever ended them: no sign that something went wrong. */
  readonly otherIsOrdinaryEnd?: true;
  /** Why nobody should hear of an event (a sub-agent's own end, background work still running), or undefined. */
  skipReason?(event: AgentEvent): string | undefined;
  /** What still ran when a turn ended, as far as the payload tells. */
  runningTasks?(payload: Payload): readonly RunningTask[];
  /** Variables of its hooks' environment that hold the folder in which a session was begun; the first that is set. */
  readonly projectVariables?: readonly ProjectVariable[];
  /** Notification types whose message does not say what is asked for; the transcript does. */
  readonly vagueRequests?: readonly string[];
  /** Whether a failure may be one that the agent mends by trying again, or a sub-agent's; the transcript tells. */
  mayRetry?(event: AgentEvent): boolean;
  /** Longest time after a request until the agent has decided it by itself, if it asks nobody; undefined: it asks. */
  autoDecisionMs?(event: AgentEvent): number | undefined;
  /** Each end of a sub-agent's turn fires the session's own Stop, and then a SubagentStop. */
  readonly stopsForSubAgents?: true;
  /** A kind that the payload shows and the native event's name does not, or undefined. */
  kindOf?(event: AgentEvent): Kind | undefined;
  /**
   * What its hooks print to stay invisible to the user; absent: nothing. Written into the launcher by `npm run docs`.
   */
  readonly neutralReply?: string;
  readonly transcript?: TranscriptFormat;
  readonly settings?: AgentSettings;
  /** How it takes in the same hooks as a plugin; absent: it does not, or that was never tried. */
  readonly plugin?: AgentPlugin;
}

/** Returns true for a request whose message does not say what it asks for. */
export function isVagueRequest({ kind, notificationType = "" }: AgentEvent, agent: Agent | undefined): boolean {
  return kind === "needs-you" && agent?.vagueRequests?.includes(notificationType) === true;
}

/** Identity function that infers the agent's name. */
export function defineAgent<const Name extends string>(agent: Agent<Name>): Agent<Name> {
  return agent;
}
