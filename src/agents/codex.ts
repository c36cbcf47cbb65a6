import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { defineAgent, type OmittedParts, type Payload } from "../core/agent.ts";
import type { Trust, TrustRequest } from "../core/agent-settings.ts";
import type { TokenUsage, UsageLimit } from "../core/facts.ts";
import { asText, at, type JsonObject, parseObject, toList, toObject } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { usageLimitSchema } from "../core/usage-limit.ts";
import { snakeCase } from "../core/vocabulary.ts";
import { minuteMs } from "../text/time.ts";
import { codexHooksFile } from "./schemas/hooks.ts";
import { agentFolder, filesIn } from "./shared/agent-paths.ts";
import { claudeFamily, claudePayload, outputIsContext } from "./shared/claude-family.ts";
import { defineTranscript, type Step } from "./transcripts/define-transcript.ts";
import { describeWhole, findCommand, type ToolForm } from "./transcripts/describe-call.ts";
import { asCount, asLine, asTimeMs, parseRecords, readText } from "./transcripts/record.ts";
import { readTokens } from "./transcripts/tokens.ts";

const folder = agentFolder({ name: ".codex", pathVariable: "CODEX_HOME" });

/** Event that Codex sends to the older `notify` program. */
const turnComplete = "agent-turn-complete";

/**
 * Codex's own tools whose calls may be answered outside the agent. A tool that gives the agent more permissions is left
 * out.
 */
const answerableTools: Readonly<Record<string, ToolForm>> = {
  Bash: { main: "command", isShell: true, said: ["description"] },
  apply_patch: { main: "command" },
};

/**
 * Codex's rollout file, tested with 0.169.0: lines `{timestamp, type, payload}`. The thread's name is in
 * `session_index.jsonl` in Codex's own folder, above `sessions/<year>/<month>/<day>/`.
 */
export const codexTranscript = defineTranscript({
  companion: (transcriptPath) => join(dirname(transcriptPath), "..", "..", "..", "..", "session_index.jsonl"),
  // A sub-agent's events name its own file.
  subAgents: { findPath: (transcriptPath) => transcriptPath },
  workers: { folder: dirname, fileName: /^rollout-(.+)\.jsonl$/, parent: /"parent_thread_id":"([\w-]+)"/ },
  find({ all, tail, companion }) {
    const id = threadId(all);
    const meta = all.find(({ type }) => type === "session_meta");
    const context = all.findLast(({ type }) => type === "turn_context");
    return {
      steps: tail.flatMap(readSteps),
      title: id && parseRecords(companion).findLast((entry) => entry.id === id)?.thread_name,
      branch: at(meta, "payload", "git", "branch"),
      model: at(context, "payload", "model"),
      tokens: tail.map(readTotal).findLast((total) => total !== undefined),
      work: { startedIn: asText(at(meta, "payload", "cwd")), limits: readLimits(tail) },
    };
  },
});

/** Arguments that need no description: the request contains them, or they change neither what runs nor its rights. */
const knownArguments = ["cmd", "justification", "prefix_rule", "yield_time_ms", "max_output_tokens"];

/** OpenAI Codex CLI: its hooks and its older `notify` program. Tested with 0.169.0. */
export const codex = defineAgent({
  name: "codex",
  title: "Codex",
  aliases: ["codex-cli"],
  source: "https://developers.openai.com/codex/hooks",
  transcriptPathHint: "/.codex/",
  ...claudeFamily,
  nativeEvents: {
    ...claudeFamily.nativeEvents,
    PermissionRequest: { event: "Notification", kind: "needs-you" },
    [turnComplete]: { event: "Stop", kind: "finished" },
  },
  // SessionEnd comes a minute after the terminal is closed, or after half an hour without a prompt.
  otherIsOrdinaryEnd: true,
  echoes: [{ nativeEvent: turnComplete, after: "Stop", withinMs: 10_000 }],
  payload: claudePayload({
    fields: { sessionId: ["session_id", "thread_id"], turnId: ["turn_id"] },
    // The `notify` program gets the payload as its last argument, with the event's name in `type`.
    readers: { nativeEvent: ({ type }) => (type === turnComplete ? type : undefined) },
  }),
  skipReason(event) {
    if (event.nativeEvent !== turnComplete) return claudeFamily.skipReason(event);
    if (typeof event.extra.client !== "string") return "the end of a sub-agent's turn";
    const [first] = toList(event.extra["input-messages"]);
    const wantsTitle = typeof first === "string" && first.startsWith("Generate a concise, single-line task title");
    return wantsTitle ? "Codex making a title for the thread" : undefined;
  },
  transcript: codexTranscript,
  permissionHook: {
    event: "PermissionRequest",
    describe: (payload) => describeWhole(payload, answerableTools),
    findCommand: (payload) => findCommand(payload, answerableTools),
    serial: "all",
    findOmitted: findOmittedArguments,
    statusMessage: "Waiting for your answer; any key asks here",
    variables: ["CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_MANAGED_BY_NPM"],
  },
  settings: {
    folder,
    files: filesIn(folder, { user: { "hooks.json": "wrapped" }, project: { "hooks.json": "wrapped" } }),
    otherHookFiles: (environment) =>
      (["user", "project"] as const).map((scope) => ({
        path: join(folder(environment, scope), "config.toml"),
        member: "hooks",
        // In `state`, Codex records which hooks the user trusts.
        except: ["state"],
        effect: "Codex runs the hooks of both files, and warns of it at every start",
      })),
    servers: (environment) => [{ path: join(folder(environment), "config.toml"), shape: "server-tables" }],
    sessions: "sessions",
    defaultEvents: { UserPromptSubmit: 5, PermissionRequest: 5, Stop: 5, SubagentStop: 5, SessionEnd: 3 },
    forbiddenEvents: outputIsContext,
    timeoutUnit: "s",
    // 0.169.0 uses `-c` with the account's shell if it is bash, zsh or sh, and otherwise with one of these three.
    runsLoginShell: { before: "0.169.0" },
    // Codex lowers a longer timeout and warns about it at every start.
    maxTimeoutSeconds: (nativeEvent) => (nativeEvent === "SessionEnd" ? 3 : undefined),
    ignoresFileWith: ["comments", "trailing commas", "a byte-order mark"],
    schema: codexHooksFile,
    switches: (environment) => [
      { path: join(folder(environment), "config.toml"), off: { features: { hooks: false } } },
    ],
    readTrust: readCodexTrust,
    program: {
      files: ["codex"],
      minimumVersion: { version: "0.145.0", reason: "it has no SessionEnd yet, and before 0.124 hooks are off" },
    },
    afterInstall: [
      "Codex runs no new or changed hook before you have trusted it: start it and choose to trust the hooks, or open /hooks.",
    ],
  },
});

/**
 * Reads whether Codex trusts beckon's hooks. Codex silently skips untrusted hooks. For each hook that the user
 * reviewed, `config.toml` has a hash.
 */
async function readCodexTrust({ environment, files, readValue, isBeckonCommand }: TrustRequest): Promise<Trust> {
  const config = await readValue(join(folder(environment), "config.toml"));
  const perFile = files.map(async ({ path, target }) => {
    const hooks = await readValue(path);
    const byPath = untrustedEvents(hooks, config, path, isBeckonCommand);
    const byTarget = untrustedEvents(hooks, config, target, isBeckonCommand);
    return byTarget.length < byPath.length ? byTarget : byPath;
  });
  const untrusted = [...new Set((await Promise.all(perFile)).flat())];
  if (untrusted.length === 0)
    return { state: "trusted", detail: "trusted, as far as the hooks were not changed since" };
  const cure = "Open /hooks in Codex and trust beckon's hooks there.";
  return { state: "untrusted", detail: `not trusted for ${untrusted.join(", ")}`, cure };
}

/**
 * Lists the events whose beckon hook has no hash in Codex's `config.toml`. The hash of a hook is in
 * `[hooks.state."<hooks.json>:<event_in_snake_case>:<group>:<hook>"]`. Only Codex can tell if a hash still matches.
 * @see https://developers.openai.com/codex/hooks
 */
function untrustedEvents(
  hooksFile: unknown,
  config: unknown,
  path: string,
  isBeckonCommand: TrustRequest["isBeckonCommand"],
): string[] {
  const known = at(config, "hooks", "state");
  return Object.entries(toObject(at(hooksFile, "hooks"))).flatMap(([event, groups]) => {
    const keys = toList(groups).flatMap((group, groupIndex) =>
      toList(at(group, "hooks")).flatMap((hook, index) => {
        const command = at(hook, "command");
        return typeof command === "string" && isBeckonCommand(command) ? [`${groupIndex}:${index}`] : [];
      }),
    );
    const isTrusted = (key: string) =>
      typeof at(known, `${path}:${snakeCase(event)}:${key}`, "trusted_hash") === "string";
    return keys.every(isTrusted) ? [] : [event];
  });
}

function readSteps({ type, timestamp, payload }: JsonObject): Step[] {
  if (type === "response_item") return callSteps(payload, timestamp);
  if (type !== "event_msg") return [];
  const message = asText(at(payload, "message"));
  const tookMs = at(payload, "duration_ms");
  switch (at(payload, "type")) {
    case "task_started":
      return [{ kind: "start", at: timestamp }];
    case "item_completed":
      return itemSteps(at(payload, "item"), timestamp);
    // Older versions write these lines instead of items.
    case "user_message":
      return [{ kind: "prompt", at: timestamp, text: message }];
    case "agent_message":
      return [{ kind: "answer", at: timestamp, text: message }];
    case "error":
      return [
        { kind: "answer", at: timestamp, text: message },
        { kind: "end", outcome: "failed" },
      ];
    case "task_complete": {
      const error = at(payload, "error", "message");
      const text = at(payload, "last_agent_message") ?? error;
      return [{ kind: "end", outcome: error === undefined ? "completed" : "failed", text, tookMs }];
    }
    case "turn_aborted":
      return [{ kind: "end", outcome: "interrupted", tookMs }];
    default:
      return [];
  }
}

/** Reads tool calls. Hooks use other tool names, so a permission request cannot be matched with one of these calls. */
function callSteps(item: unknown, timestamp: unknown): Step[] {
  const id = at(item, "call_id");
  const type = asText(at(item, "type")) ?? "";
  const didNothing = /^.{0,100}rejected by user/.test(asText(at(item, "output")) ?? "");
  if (type.endsWith("_call_output")) return [{ kind: "result", id, didNothing, at: timestamp }];
  const input = { patch: at(item, "input") };
  return type.endsWith("_call") ? [{ kind: "call", id, tool: at(item, "name"), input, at: timestamp }] : [];
}

function itemSteps(item: unknown, timestamp: unknown): Step[] {
  const text = readText(at(item, "content"));
  if (at(item, "type") === "UserMessage") return [{ kind: "prompt", at: timestamp, text }];
  return at(item, "type") === "AgentMessage" ? [{ kind: "answer", at: timestamp, text }] : [];
}

const tokenNames = {
  inputAndCache: "input_tokens",
  output: "output_tokens",
  cacheRead: "cached_input_tokens",
  cacheWrite: "cache_write_input_tokens",
  thinking: "reasoning_output_tokens",
};

/** Reads the thread's token counts up to this line; undefined if the line has no counts. */
function readTotal({ type, payload }: JsonObject): TokenUsage | undefined {
  if (type === "token_usage_record") return readTokens(at(payload, "thread_token_usage"), tokenNames);
  if (at(payload, "type") !== "token_count") return undefined;
  return readTokens(at(payload, "info", "total_token_usage"), tokenNames);
}

/** Reads the newest figures of each usage limit. Windows that never reset, or whose length is unknown, are left out. */
function readLimits(records: readonly JsonObject[]): UsageLimit[] {
  const newest = new Map<string, UsageLimit>();
  for (const { timestamp, payload } of records) {
    const snapshot = toObject(at(payload, "rate_limits"));
    const id = [snapshot.limit_id, snapshot.plan_type].filter(Boolean).join(" ");
    for (const { used_percent, window_minutes, resets_at } of [snapshot.primary, snapshot.secondary].map(toObject)) {
      const name = asLine(snapshot.limit_name);
      const windowMs = (asCount(window_minutes) ?? 0) * minuteMs;
      const resetsAtMs = (asCount(resets_at) ?? Number.NaN) * 1000;
      const figures = { id, name, windowMs, usedPercent: used_percent, resetsAtMs, atMs: asTimeMs(timestamp) };
      const { data } = usageLimitSchema().safeParse(omitUndefined(figures));
      if (data) newest.set(`${id} ${data.windowMs}`, data);
    }
  }
  return [...newest.values()];
}

/** Finds the thread's id in `session_meta` or in a later line. The first line may be too long to be read. */
function threadId(records: readonly JsonObject[]): string | undefined {
  const ids = records.map(({ type, payload }) => asText(at(payload, type === "session_meta" ? "id" : "thread_id")));
  return ids.find((id) => id !== undefined);
}

/**
 * Finds the arguments of a call that its permission request omits, such as the folder to run in. Only commands and
 * patches have such arguments. Undefined if the end of the transcript does not show the call as open, or shows several
 * open calls of the same command with different arguments.
 */
function findOmittedArguments({ tool_name, tool_input }: Payload, tail: string): OmittedParts | undefined {
  const command = asText(at(tool_input, "command"));
  if (command === undefined || asText(tool_name)?.startsWith("mcp__")) return { lines: [] };
  const runs = (text: unknown): boolean =>
    text === command || (tool_name === "apply_patch" && asText(text)?.includes(command) === true);
  const found = findOpenCalls(tail).flatMap((call) => {
    const args = parseObject(asText(call.arguments) ?? "") ?? {};
    return runs(call.input) || runs(args.cmd) ? [{ lines: describeArguments(args), folder: asText(args.workdir) }] : [];
  });
  const [first] = found;
  return found.every((call) => isDeepStrictEqual(call, first)) ? first : undefined;
}

/** Finds the calls that have no output yet. */
function findOpenCalls(tail: string): JsonObject[] {
  const items = parseRecords(tail).map(({ payload }) => toObject(payload));
  const isOutput = ({ type }: JsonObject) => asText(type)?.endsWith("_call_output") === true;
  const answered = new Set(items.filter(isOutput).map(({ call_id }) => call_id));
  return items.filter(({ call_id }) => call_id !== undefined && !answered.has(call_id));
}

function describeArguments(args: JsonObject): string[] {
  const omitted = Object.entries(args).filter(([name]) => !knownArguments.includes(name));
  const isLine = (value: unknown): value is string => typeof value === "string" && /^.+$/.test(value);
  return omitted.map(([name, value]) => `${name}: ${isLine(value) ? value : JSON.stringify(value)}`);
}
