import type { AgentPlugin } from "./agent-plugin.ts";
import type { AgentSettings } from "./agent-settings.ts";
import type { AgentEvent } from "./event.ts";
import type { FoundFacts, RunningTask } from "./facts.ts";
import { asText } from "./json-value.ts";
import type { ProjectVariable } from "./project-variables.ts";
import type { HookEventName, Kind } from "./vocabulary.ts";

/** Meaning of an agent's native event. */
export interface EventMapping {
  /** `Prompt` has the kind `info`, but is never sent. */
  readonly event: HookEventName;
  readonly kind: Kind;
}

/** Rule for a native event that only repeats an earlier native event of the same session. */
export interface EchoRule {
  /** Later native event. */
  readonly nativeEvent: string;
  /** Notification type that the rule is limited to; absent: any. */
  readonly notificationType?: string;
  /** Earlier native event. */
  readonly after: string;
  readonly withinMs: number;
}

/** JSON payload of a hook. Any field may have an unexpected type. */
export type Payload = Readonly<Record<string, unknown>>;

/** Reads the input of a payload's tool call, under any agent's name for it; undefined without one. */
export function readToolInput({ tool_input, toolInput, toolArgs }: Payload): unknown {
  return tool_input ?? toolInput ?? toolArgs;
}

/** Reads the id of a payload's tool call, as in the transcript; most agents' requests have none. */
export function readCallId({ tool_call_id, toolCallId }: Payload): string | undefined {
  return asText(tool_call_id) ?? asText(toolCallId);
}

/** Facts read from a payload; `answer` is the agent's last message. */
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

/** Format of an agent's payloads. Texts are returned raw; the parser cleans and cuts them. */
export interface PayloadFormat {
  /**
   * Names of the fields that hold a fact, in snake_case; a payload may use camelCase or kebab-case. The first field
   * with text counts.
   */
  readonly fields: Readonly<Record<PayloadFact, readonly string[]>>;
  /** Readers of facts that are more than one text field; called if `fields` finds nothing. */
  readonly readers: Readonly<Partial<Record<PayloadFact, (payload: Payload) => string | undefined>>>;
  /** Reads the session's title, if payloads have it. */
  title?(payload: Payload): string | undefined;
  /** Placeholder that the agent uses for a missing answer. */
  readonly noAnswer?: string;
}

/** Author of an agent's prompt. */
export type PromptAuthor = "person" | "program";

/** Format of an agent's transcript. Pure: text in, facts out. Broken or partial lines are skipped. */
export interface TranscriptFormat {
  /** File in the agent's own folder that names a session's transcript, for payloads that do not. */
  readonly index?: {
    readonly name: string;
    /** Finds the absolute path of a session's transcript. */
    find(text: string, sessionId: string): string | undefined;
  };
  /**
   * Returns the path of a session's transcript in the agent's own folder, for payloads without it; ids are
   * `[A-Za-z0-9_-]+`.
   */
  findPath?(folder: string, sessionId: string): string;
  /** Returns the path of a second file with part of the facts. */
  companion?(transcriptPath: string): string;
  /** Transcripts of a session's sub-agents, if they have their own files; ids are `[A-Za-z0-9_-]+`. */
  readonly subAgents?: {
    findPath(transcriptPath: string, id: string): string;
    /** Lists the requests of a sub-agent's calls without a result, one line each. */
    requests(text: string): readonly string[];
  };
  /** Set if lines may come seconds after the hook that is about them. */
  readonly isLate?: true;
  read(parts: { readonly head: string; readonly tail: string; readonly companion?: string }): FoundFacts;
  /** Finds the author of the prompt with this `turnId` near the transcript's end; undefined if not recorded. */
  promptAuthor?(tail: string, turnId: string): PromptAuthor | undefined;
}

/** Everything beckon knows about one agent. Mostly data. Native events have the agent's own names. */
export interface Agent<Name extends string = string> {
  /** File name, `--agent` value and name in the journal. */
  readonly name: Name;
  /** Name for people, such as `Claude Code`. */
  readonly title: string;
  /** URL of the page that describes its hooks. */
  readonly source: string;
  /** Part of its transcripts' paths; identifies the agent of a payload without `--agent`. */
  readonly transcriptPathHint: string;
  /** Meanings of its native events. Any other event is accepted as `info` under its own name. */
  readonly nativeEvents: Readonly<Record<string, EventMapping>>;
  /** Kinds by notification type; an unknown type is `needs-you`. */
  readonly notificationKinds: Readonly<Record<string, Kind>>;
  readonly echoes: readonly EchoRule[];
  readonly payload: PayloadFormat;
  /**
   * True if a payload comes from this agent although another agent's hook received it: some agents run hooks from other
   * agents' settings.
   */
  recognizes?(payload: Payload): boolean;
  /** Set if its sessions always end with reason `other`, which then does not mean an error. */
  readonly otherIsOrdinaryEnd?: true;
  /** Returns a reason for not sending an event (a sub-agent's own end, background work still running), if any. */
  skipReason?(event: AgentEvent): string | undefined;
  /** Lists the tasks that were still running when a turn ended, if the payload has them. */
  runningTasks?(payload: Payload): readonly RunningTask[];
  /** Variables of its hooks that hold the folder in which the session started; the first that is set counts. */
  readonly projectVariables?: readonly ProjectVariable[];
  /** Notification types whose message does not name the request; the transcript does. */
  readonly vagueRequests?: readonly string[];
  /** True if the agent may retry after this failure, or if it may be a sub-agent's; the transcript shows which. */
  mayRetry?(event: AgentEvent): boolean;
  /** Returns the longest time in which the agent decides a request on its own; undefined if it asks the user. */
  autoDecisionMs?(event: AgentEvent): number | undefined;
  /** Set if the end of a sub-agent's turn fires the session's own Stop, followed by a SubagentStop. */
  readonly stopsForSubAgents?: true;
  /** Returns the kind, if the payload shows another kind than the native event's name. */
  classify?(event: AgentEvent): Kind | undefined;
  /** Output of its hooks that hides them from the user; absent: none. `npm run docs` writes it into the launcher. */
  readonly neutralReply?: string;
  readonly transcript?: TranscriptFormat;
  readonly settings?: AgentSettings;
  /** Installation of the same hooks as a plugin; absent if unsupported or untested. */
  readonly plugin?: AgentPlugin;
}

/** True for a request whose message does not say what it asks for. */
export function isVagueRequest({ kind, notificationType = "" }: AgentEvent, agent: Agent | undefined): boolean {
  return kind === "needs-you" && agent?.vagueRequests?.includes(notificationType) === true;
}

/** Returns the agent unchanged; infers its name's type. */
export function defineAgent<const Name extends string>(agent: Agent<Name>): Agent<Name> {
  return agent;
}
