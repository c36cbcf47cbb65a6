import type { AgentRequest } from "../text/request.ts";
import type { AgentPlugin, AgentSettings } from "./agent-settings.ts";
import type { AgentEvent, ServerDialog } from "./event.ts";
import type { FoundFacts, RunningTask, TokenUsage, TurnWork } from "./facts.ts";
import { asText, type JsonObject } from "./json-value.ts";
import type { PermissionForm } from "./permission-form.ts";
import type { ProjectVariable } from "./project-variables.ts";
import type { HookEventName, Kind } from "./vocabulary.ts";

/** Event and kind that an agent's native event stands for. */
export interface EventMapping {
  readonly event: HookEventName;
  /** Kind of the event; always `info` for `Prompt` and `Answer`, which are never sent. */
  readonly kind: Kind;
}

/** Rule that identifies echoes: native events that only repeat an earlier native event of the same session. */
export interface EchoRule {
  /** Native event that may be an echo. */
  readonly nativeEvent: string;
  /** Notification type to which the rule applies; absent: all types. */
  readonly notificationType?: string;
  /** Native event that an echo repeats. */
  readonly after: string;
  readonly withinMs: number;
  /** Set for a notice that the agent idles after a turn. `withinMs` then counts only if `judgeLate` is off. */
  readonly isIdle?: true;
}

/** True if an echo rule is about an event, as far as the event's own fields say. */
export function isRuleFor({ nativeEvent, notificationType }: EchoRule, event: AgentEvent): boolean {
  const isType = notificationType === undefined || notificationType === event.notificationType;
  return isType && nativeEvent === event.nativeEvent;
}

/** JSON payload of a hook. Any field may have an unexpected type. */
export type Payload = Readonly<Record<string, unknown>>;

/** Reads the tool call's input from a payload, under any of the names that agents use; undefined if there is none. */
export function readToolInput({ tool_input, toolInput, toolArgs }: Payload): unknown {
  return tool_input ?? toolInput ?? toolArgs;
}

/** Reads the tool call's id from a payload, as in the transcript. Most agents omit the id when they ask the user. */
export function readCallId({ tool_call_id, toolCallId }: Payload): string | undefined {
  return asText(tool_call_id) ?? asText(toolCallId);
}

/** Names of the facts that are read from a payload. `answer` is the agent's last message. */
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

/** Format of an agent's payloads. Readers return texts unchanged; the parser cleans and cuts the texts. */
export interface PayloadFormat {
  /**
   * Names of the payload fields that may hold each fact, in snake_case; a payload may also use camelCase or kebab-case.
   * The first field that contains text is used. A fact that is not listed has no field.
   */
  readonly fields: Readonly<Partial<Record<PayloadFact, readonly string[]>>>;
  /** Functions that read facts from fields other than plain text. Each is called only if `fields` yields nothing. */
  readonly readers?: Readonly<Partial<Record<PayloadFact, (payload: Payload) => string | undefined>>>;
  /** Reads what the agent asks for. Takes precedence over the fact `message`. Absent if payloads do not say it. */
  request?(payload: Payload): AgentRequest | undefined;
  /** Reads the session's title. Absent if payloads have no title. */
  title?(payload: Payload): string | undefined;
  /** Reads the session's token counts and cost. Absent if payloads have none. */
  usage?(payload: Payload): TokenUsage | undefined;
  /** Reads `headline`, `program` and `turnMs` of an event that beckon's own command sent. */
  own?(payload: Payload): Pick<AgentEvent, "headline" | "program" | "turnMs">;
  /** Text that the agent sends in place of an answer if the model gave none. */
  readonly noAnswer?: string;
}

/** Author of a prompt. */
export type PromptAuthor = "person" | "program";

/** Format of an agent's transcript. The functions are pure: text in, facts out. They skip broken or partial lines. */
export interface TranscriptFormat {
  /** File in the agent's folder that lists sessions' transcript paths. Used if the payload has no transcript path. */
  readonly index?: {
    readonly name: string;
    /** Finds the absolute path of a session's transcript. */
    find(text: string, sessionId: string): string | undefined;
  };
  /**
   * Returns the path of a session's transcript in the agent's own folder. Used if the payload has no transcript path.
   * Ids match `[A-Za-z0-9_-]+`.
   */
  findPath?(folder: string, sessionId: string): string;
  /** Returns the path of a second file that contains some of the session's facts. */
  companion?(transcriptPath: string): string;
  /** Access to the transcripts of sub-agents, if they have files of their own. Sub-agent ids match `[A-Za-z0-9_-]+`. */
  readonly subAgents?: {
    findPath(transcriptPath: string, id: string): string;
    /** Folder of all sub-agents' transcripts, which may be in folders below. */
    folder?(transcriptPath: string): string;
    /** Names of the files in that folder; the group is the sub-agent's id. */
    readonly fileName?: RegExp;
    /** Reads the sub-agent's work, `done` only if it is wanted, if its lines differ from the session's own. */
    read?(text: string, isDoneWanted: boolean): TurnWork;
  };
  /** Transcripts of sub-agents, to count their calls, if `subAgents` does not find them. */
  readonly workers?: {
    folder(transcriptPath: string, sessionId: string): string;
    /** Names of the files in that folder; the group is the sub-agent's id. */
    readonly fileName: RegExp;
    /** Finds the id of the starting session in the beginning of a file, if the folder has other sessions' files too. */
    readonly parent?: RegExp;
  };
  /** File in which a running agent says what its session does. */
  readonly state?: {
    path(transcriptPath: string, pid: number): string;
    /** Reads the state, with the session and the start time of the process that it belongs to. */
    read(file: JsonObject): { state: AgentState | undefined; sessionId?: unknown; startTicks?: unknown };
  };
  /** Set if the agent may write a transcript line seconds after it runs the hook for the same event. */
  readonly isLate?: true;
  /** Reads the facts. The work's `done` is collected only if it is wanted. */
  read(parts: {
    readonly head: string;
    readonly tail: string;
    readonly companion?: string;
    readonly isDoneWanted?: boolean;
  }): FoundFacts;
  /**
   * Finds the author of the prompt with this `turnId` in the end of the transcript, if recorded. `hasEarlier` is true if
   * that end begins before the prompt. Else lines of the prompt may be missing.
   */
  promptAuthor?(tail: string, turnId: string): { author: PromptAuthor | undefined; hasEarlier: boolean };
}

/** State of a session in its agent's own words. */
export interface AgentState {
  readonly status: "idle" | "busy" | "waiting";
  /** Agent's words for what the session waits for, such as `permission prompt`. */
  readonly waitingFor?: string | undefined;
  /** Time since when the session has this state, Unix milliseconds. */
  readonly atMs: number;
}

/** Parts of a tool call that the payload of a permission request omits. */
export interface OmittedParts {
  /** Descriptions, one line each. */
  readonly lines: readonly string[];
  /** Folder in which the call runs, if it is not the payload's; absolute, or relative to that one. */
  readonly folder?: string | undefined;
}

/** Permission hook of an agent, whose output may answer the request. */
export interface PermissionHook {
  /** Native event of the hook. */
  readonly event: string;
  /**
   * Describes the whole request in lines, with every member of the tool's input. The lines are not cleaned. Returns
   * undefined for a tool whose requests must be answered in the agent's own dialog.
   */
  describe(payload: Payload): readonly string[] | undefined;
  /** Own tools that ask something else than permission. Absent if they can only be answered in the agent's own dialog. */
  readonly forms?: FormRules;
  /** Returns the command line that a shell runs, if the tool is a shell. */
  findCommand(payload: Payload): string | undefined;
  /**
   * Requests whose dialog the agent opens only after the hook, so that a waiting hook keeps the user from answering in the
   * agent: all, or those for which the function returns true.
   */
  readonly serial: "all" | ((payload: Payload) => boolean);
  /** Returns the reason why the agent possibly asks nobody about a request; undefined if it always asks the user. */
  explainUnasked?(payload: Payload): string | undefined;
  /**
   * Finds the parts of the call that the payload omits, at the end of the transcript. Undefined if the transcript does not
   * show the call, so that these parts are unknown. Absent if payloads are complete.
   */
  findOmitted?(payload: Payload, transcriptTail: string): OmittedParts | undefined;
  /** Text that the agent shows while the hook waits; `statusMessage` in the hook's entry. Absent if it shows no such text. */
  readonly statusMessage?: string;
  /** Names of environment variables that the agent sets for every program it starts. */
  readonly variables: readonly string[];
}

/** Rules for an agent's forms. Their hook has an entry of its own, because its reply has to repeat the tool's input. */
export interface FormRules {
  /** Matcher of the forms' hook entry, and of the entry for all other tools. */
  readonly matchers: { readonly forms: string; readonly others: string };
  /** Describes a whole form in lines, which are not cleaned, and why it can only be refused, if so. */
  describe(form: PermissionForm): { readonly lines: readonly string[]; readonly denyOnly?: string };
}

/** True if the agent opens its own dialog for a request only after the hook. */
export function isSerial({ serial }: PermissionHook, payload: Payload): boolean {
  return serial === "all" || serial(payload);
}

/** True if an agent opens its own dialog only after the hook, for every request. */
export function isAlwaysSerial({ permissionHook }: Pick<Agent, "permissionHook">): boolean {
  return typeof permissionHook === "object" && permissionHook.serial === "all";
}

/** Everything beckon knows about one agent. Native events have the agent's own names. */
export interface Agent<Name extends string = string> {
  /** File name, `--agent` value and name in the journal. */
  readonly name: Name;
  /** Name for people, such as `Claude Code`. */
  readonly title: string;
  /** Other names that people use for the agent in commands, besides its title. */
  readonly aliases?: readonly string[];
  /** URL of the page that describes the agent's hooks. */
  readonly source: string;
  /** Text that every transcript path of this agent contains. Identifies the agent if a hook runs without `--agent`. */
  readonly transcriptPathHint: string;
  /** Event and kind of each native event. An event that is not listed keeps its own name and has the kind `info`. */
  readonly nativeEvents: Readonly<Record<string, EventMapping>>;
  /** Kinds by notification type. For a type that is not listed, the kind in `nativeEvents` counts. */
  readonly notificationKinds?: Readonly<Record<string, Kind>>;
  readonly echoes?: readonly EchoRule[];
  readonly payload: PayloadFormat;
  /**
   * True if a payload comes from this agent, although the hook was installed for another agent. Some agents also run
   * the hooks in other agents' settings files.
   */
  recognizes?(payload: Payload): boolean;
  /** Set if every session of this agent ends with the reason `other`, which then does not indicate an error. */
  readonly otherIsOrdinaryEnd?: true;
  /**
   * Returns a reason not to notify the user of an event, such as work that still runs in the background; undefined if
   * there is no such reason.
   */
  skipReason?(event: AgentEvent): string | undefined;
  /** Reads the dialog of an MCP server that an event opens or ends. Absent if there are no such events. */
  readDialog?(event: AgentEvent): ServerDialog | undefined;
  /** Lists the tasks that were still running when a turn ended. Absent if payloads do not list tasks. */
  runningTasks?(payload: Payload): readonly RunningTask[];
  /** Environment variables that may hold the folder in which the session started. The first one that is set is used. */
  readonly projectVariables?: readonly ProjectVariable[];
  /** Matches whole messages that do not say what the agent asks for. The transcript does. */
  readonly vagueRequests?: RegExp;
  /**
   * True if a failure may not be final, because the agent may retry or a sub-agent may have failed. The transcript
   * shows if that is the case.
   */
  mayRetry?(event: AgentEvent): boolean;
  /**
   * Returns the longest time that the agent may take to decide a request without the user, in milliseconds; undefined
   * if the agent asks the user.
   */
  autoDecisionMs?(event: AgentEvent): number | undefined;
  /** Set if the agent runs the session's own Stop hook, then the SubagentStop hook, when a sub-agent's turn ends. */
  readonly stopsForSubAgents?: true;
  /** Returns the kind that the payload shows, if it differs from the kind of the native event; otherwise undefined. */
  classify?(event: AgentEvent): Kind | undefined;
  /**
   * Text that hooks print to keep the agent from showing the user that a hook ran; absent: hooks print nothing. `npm
   * run docs` copies the text to hook.sh.
   */
  readonly neutralReply?: string;
  readonly transcript?: TranscriptFormat;
  /** Hook that can answer a permission request, or the reason why requests must be answered in the agent. */
  readonly permissionHook?: PermissionHook | string;
  readonly settings?: AgentSettings;
  /** Rules for installing the hooks as a plugin; absent if the agent has no plugins or a plugin was never tested. */
  readonly plugin?: AgentPlugin;
}

/** True for a request whose message does not say what the agent asks for. */
export function isVagueRequest({ kind, message }: AgentEvent, agent: Agent | undefined): boolean {
  const sentences = kind === "needs-you" ? agent?.vagueRequests : undefined;
  return sentences !== undefined && (message === undefined || sentences.test(message));
}

/** Returns the agent unchanged. TypeScript infers the type of its name. */
export function defineAgent<const Name extends string>(agent: Agent<Name>): Agent<Name> {
  return agent;
}
