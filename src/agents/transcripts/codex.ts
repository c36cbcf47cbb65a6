import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { OmittedParts, Payload } from "../../core/agent.ts";
import type { TokenUsage } from "../../core/facts.ts";
import { asText, at, type JsonObject, parseObject, toObject } from "../../core/json-value.ts";
import { defineTranscript } from "./define-transcript.ts";
import { parseRecords, readText } from "./record.ts";
import type { Step } from "./step.ts";
import { readTokens } from "./tokens.ts";

/**
 * Codex's rollout file, tested with 0.169.0: lines `{timestamp, type, payload}`. The thread's name is in
 * `session_index.jsonl` in Codex's own folder, above `sessions/<year>/<month>/<day>/`.
 */
export const codexTranscript = defineTranscript({
  companion: (transcriptPath) => join(dirname(transcriptPath), "..", "..", "..", "..", "session_index.jsonl"),
  find({ all, tail, companion }) {
    const id = threadId(all);
    const meta = all.find(({ type }) => type === "session_meta");
    const context = all.findLast(({ type }) => type === "turn_context");
    return {
      steps: tail.flatMap(readSteps),
      title: id && parseRecords(companion).findLast((entry) => entry.id === id)?.thread_name,
      startedIn: at(meta, "payload", "cwd"),
      branch: at(meta, "payload", "git", "branch"),
      model: at(context, "payload", "model"),
      tokens: tail.map(readTotal).findLast((total) => total !== undefined),
    };
  },
});

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
  if (type.endsWith("_call_output")) return [{ kind: "result", id, at: timestamp }];
  return type.endsWith("_call") ? [{ kind: "call", id, tool: at(item, "name"), input: {}, at: timestamp }] : [];
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

/** Finds the thread's id in `session_meta` or in a later line. The first line may be too long to be read. */
function threadId(records: readonly JsonObject[]): string | undefined {
  const ids = records.map(({ type, payload }) => asText(at(payload, type === "session_meta" ? "id" : "thread_id")));
  return ids.find((id) => id !== undefined);
}

/** Arguments that need no description: the request contains them, or they change neither what runs nor its rights. */
const knownArguments = ["cmd", "justification", "prefix_rule", "yield_time_ms", "max_output_tokens"];

/**
 * Finds the arguments of a call that its permission request omits, such as the folder to run in. Only commands and
 * patches have such arguments. Undefined if the end of the transcript does not show the call as open, or shows several
 * open calls of the same command with different arguments.
 */
export function findOmittedArguments({ tool_name, tool_input }: Payload, tail: string): OmittedParts | undefined {
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
