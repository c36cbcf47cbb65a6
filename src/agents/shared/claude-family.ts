import { join } from "node:path";
import type { Agent, EchoRule, EventMapping, Payload, PayloadFormat } from "../../core/agent.ts";
import type { AgentPlugin, InstallEnvironment, PluginFacts } from "../../core/agent-settings.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { RunningTask } from "../../core/facts.ts";
import { asText, at, toList } from "../../core/json-value.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { promptEvent } from "../../core/vocabulary.ts";
import { readToolRequest } from "../transcripts/describe-call.ts";
import { asLine, objectsIn } from "../transcripts/record.ts";

/** Meaning of an agent's event for a submitted prompt. */
export const prompt = { event: promptEvent, kind: "info" } as const satisfies EventMapping;

/** Reason to skip a sub-agent's prompt. */
export const subAgentTaskSkipReason = "a sub-agent's task, not a person's prompt";

/** Rule for the notice that the agent idles after a turn; without its `after`. */
export const idleNotice = {
  nativeEvent: "Notification",
  notificationType: "idle_prompt",
  withinMs: 90_000,
  isIdle: true,
} as const satisfies Omit<EchoRule, "after">;

const id = "beckon@beckon";

const names = "(?:Claude|Claude Code|Qwen Code|Factory CLI|Droid|Gemini CLI|Grok|Kimi|Kimi Code|Auggie)";
const toolName = "(?:[\\w-]+|[A-Z]\\w*(?: [A-Z]\\w*)+|\\d+ tool\\(s\\))";
/** Constant sentences of the agents. A sentence with more words says something, and is shown unchanged. */
const vagueRequests = new RegExp(
  [
    `^${names} needs (?:your )?(?:permission|approval|input|attention|confirmation)(?: to (?:use|execute) ${toolName}| for the plan)?[.!]?$`,
    `^${names} is (?:waiting for (?:your )?(?:input|permission|approval)|asking the user \\d+ question\\(s\\))[.!]?$`,
    "^Auto mode can't check actions in this session and needs your choice$",
    "^(?:Tool permission requested|User question requested|Information requested|Permission needed)$",
  ].join("|"),
);

/**
 * Common traits of agents that adopted Claude Code's hooks. Each agent spreads this object and adds its differences.
 */
export const claudeFamily = {
  nativeEvents: {
    Notification: { event: "Notification", kind: "needs-you" },
    Stop: { event: "Stop", kind: "finished" },
    SubagentStop: { event: "SubagentStop", kind: "info" },
    SessionEnd: { event: "SessionEnd", kind: "info" },
    UserPromptSubmit: prompt,
  },
  /** Notification types that need no attention. */
  notificationKinds: { auth_success: "info", elicitation_complete: "info", elicitation_response: "info" },
  vagueRequests,
  echoes: [{ ...idleNotice, after: "Stop" }],
  payload: claudePayload({}),
  skipReason: skipSubAgent,
  runningTasks,
} satisfies Partial<Agent>;

/** Traits of `claudeFamily`, with two later events of Claude Code: a permission request and a failed turn. */
export const extendedClaudeFamily = {
  ...claudeFamily,
  nativeEvents: {
    ...claudeFamily.nativeEvents,
    PermissionRequest: { event: "Notification", kind: "needs-you" },
    StopFailure: { event: "Stop", kind: "failed" },
  },
  echoes: [
    ...claudeFamily.echoes,
    { ...idleNotice, after: "StopFailure" },
    {
      nativeEvent: "Notification",
      notificationType: "permission_prompt",
      after: "PermissionRequest",
      withinMs: 10_000,
    },
  ],
} satisfies Partial<Agent>;

/** Makes the format of Claude Code's payloads, with another agent's differences. */
export function claudePayload({ fields, readers, ...others }: Partial<PayloadFormat>): PayloadFormat {
  return {
    fields: {
      nativeEvent: ["hook_event_name"],
      sessionId: ["session_id"],
      turnId: ["prompt_id"],
      cwd: ["cwd"],
      transcriptPath: ["transcript_path"],
      notificationType: ["notification_type"],
      message: ["message", "error_details"],
      reason: ["reason", "error"],
      answer: ["last_assistant_message"],
      ...fields,
    },
    request(payload) {
      const message = asText(payload.message);
      return message === undefined || vagueRequests.test(message) ? readToolRequest(payload) : undefined;
    },
    ...(readers && { readers }),
    ...others,
  };
}

/**
 * Events that beckon must not register, with the reasons: the hooks' output would go to the model, or tool calls would
 * wait for the hooks.
 */
export const outputIsContext: Readonly<Record<string, string>> = {
  SessionStart: "what its hooks print becomes part of the conversation",
  PreToolUse: "its hooks decide about tools, and every call waits for them",
  PostToolUse: "every tool call waits for its hooks",
};

/** Returns the reason to skip a `Stop` or a prompt of a sub-agent; undefined for any other event. */
function skipSubAgent({ event, extra }: AgentEvent): string | undefined {
  if (asText(extra.agent_id) === undefined) return undefined;
  if (event === promptEvent) return subAgentTaskSkipReason;
  return event === "Stop" ? "the end of a sub-agent's turn" : undefined;
}

/** Types of tasks that last as long as their session: teammates, watchers and schedules. */
const lastingTypes = /mate|monitor|watch|cron|loop|schedul/i;

/**
 * Lists running tasks as Claude Code and Grok report them, except those that last as long as the session. A task of
 * unknown type counts as work that will wake the agent.
 */
function runningTasks({ background_tasks, backgroundTasks }: Payload): RunningTask[] {
  return objectsIn(background_tasks ?? backgroundTasks).flatMap((task) => {
    const [id = "", isShell] = [asText(task.id), task.type === "shell"];
    if (task.status !== "running" || lastingTypes.test(String(task.type))) return [];
    return omitUndefined<RunningTask>({ id, of: isShell ? "shell" : "agent", name: asLine(task.command) });
  });
}

/** Picks the first folder open in an editor. */
export function firstWorkspaceRoot({ workspace_roots }: Payload): string | undefined {
  return asText(toList(workspace_roots)[0]);
}

/** Reason to skip a prompt that reports the agent's own work. */
export const reportSkipReason = "a report on background work, not a person's prompt";

interface ClaudePluginTraits extends Pick<AgentPlugin, "source" | "folderVariable"> {
  /** Command that starts the agent. */
  readonly program: string;
  /** Name of the folder with the manifests. */
  readonly manifestFolder: string;
  /** Returns the agent's folder in the user's home folder. */
  folder(environment: InstallEnvironment): string;
  /**
   * Path of the list of installed plugins, in the agent's folder. It ends in `*.json` if each plugin has its own file.
   */
  readonly list: string;
  /** Lists the installed plugins: the id `name@marketplace` and the details of each. */
  entriesIn(list: unknown): readonly (readonly [id: string, entry: unknown])[];
}

/** Makes a plugin in Claude Code's format, which other agents adopted: a marketplace folder with one plugin. */
export function claudePlugin(traits: ClaudePluginTraits): AgentPlugin {
  const { source, folderVariable, program, manifestFolder, folder, list, entriesIn } = traits;
  return {
    word: "plugin",
    source,
    folderVariable,
    manifests: (facts) => ({
      [`${manifestFolder}/plugin.json`]: { ...facts, author: { name: facts.name } },
      [`${manifestFolder}/marketplace.json`]: marketplace(facts),
    }),
    installCommands: (path) => [`${program} plugin marketplace add ${path}`, `${program} plugin install ${id}`],
    uninstallCommand: `${program} plugin uninstall ${id}`,
    async installedIn(environment, readValues) {
      const [settings] = await readValues(join(folder(environment), "settings.json"));
      const lists = await readValues(join(folder(environment), list));
      return lists.flatMap(entriesIn).flatMap(([name, entry]) => {
        const [path, project] = [at(entry, "installPath"), at(entry, "projectPath")];
        const isOn = name.startsWith("beckon@") && at(settings, "enabledPlugins", name) !== false;
        const isHere = project === undefined || project === environment.project;
        return isOn && isHere && typeof path === "string" ? [path] : [];
      });
    },
  };
}

function marketplace({ name, version, description }: PluginFacts) {
  return { name, owner: { name }, description, plugins: [{ name, version, description, source: "./" }] };
}
