import { join } from "node:path";
import { asObject, asText, at, type JsonObject } from "../../core/json-value.ts";
import { isProgramText, recordedAuthor } from "../../core/prompt-author.ts";
import { defineTranscript } from "./define-transcript.ts";
import { findBlocks, lastLine, parseRecords, readText } from "./record.ts";
import type { Step } from "./step.ts";
import { openRequests } from "./turn.ts";

/**
 * Claude Code's transcript, tested with 2.1.197 and 2.1.330. Token counts cover only the part that was read. An API
 * message on several lines counts once.
 */
export const claudeTranscript = defineTranscript({
  tokenNames: {
    input: "input_tokens",
    output: "output_tokens",
    cacheRead: "cache_read_input_tokens",
    cacheWrite: "cache_creation_input_tokens",
  },
  subAgents: {
    findPath: (transcriptPath, id) => join(transcriptPath.replace(/\.jsonl$/, ""), "subagents", `agent-${id}.jsonl`),
    // All lines of this file have the mark of a sub-agent, and `readSteps` would skip marked lines.
    requests: (text) =>
      openRequests(parseRecords(text).flatMap((record) => readSteps({ ...record, isSidechain: false }))),
  },
  promptAuthor(tail, turnId) {
    const lines = parseRecords(tail).filter(
      ({ type, promptId, message }) => type === "user" && promptId === turnId && readText(at(message, "content")),
    );
    const authors = new Set(lines.map(recordedAuthor));
    // The program may add its own lines to a user's prompt.
    if (authors.has("person")) return "person";
    return authors.size === 1 ? [...authors][0] : undefined;
  },
  find: ({ head, all, tail }) => ({
    startedIn: head.find(({ cwd }) => asText(cwd))?.cwd,
    steps: tail.flatMap(readSteps),
    title:
      lastLine(all, ({ type, customTitle }) => type === "custom-title" && customTitle) ??
      lastLine(all, ({ type, aiTitle }) => type === "ai-title" && aiTitle) ??
      lastLine(all, ({ type, summary }) => type === "summary" && summary),
    branch: lastLine(all, ({ gitBranch }) => gitBranch !== "HEAD" && gitBranch),
    model: lastLine(tail, readModel),
    usages: usagesIn(tail),
    isHeadless: all.some(({ entrypoint }) => asText(entrypoint)?.startsWith("sdk") === true),
  }),
});

/** Beginnings of `user` lines that no user typed: commands run by the program, and their output. */
const notPrompts = ["<command-name>", "<local-command-", "<bash-"];

function readSteps({ type, timestamp, message, ...record }: JsonObject): Step[] {
  if (record.isMeta === true || record.isSidechain === true || record.isCompactSummary === true) return [];
  const content = at(message, "content");
  const text = readText(content);
  if (type === "user" && text === undefined) return resultSteps(content, record, timestamp);
  if (type === "user")
    return recordedAuthor(record) === "program" ? reportSteps(text) : userSteps(text ?? "", timestamp);
  if (type !== "assistant") return [];
  const answer: Step = { kind: "answer", at: timestamp, text, id: at(message, "id") };
  if (record.isApiErrorMessage === true) return [answer, { kind: "end", outcome: "failed" }];
  const calls = findBlocks(content, "tool_use").map(
    ({ id, name, input }): Step => ({ kind: "call", id, tool: name, input: asObject(input), at: timestamp }),
  );
  const isTurnEnd = at(message, "stop_reason") === "end_turn";
  return [answer, ...calls, ...(isTurnEnd ? [{ kind: "end", outcome: "completed" } as const] : [])];
}

function userSteps(text: string, timestamp: unknown): Step[] {
  if (text.startsWith("[Request interrupted by user")) return [{ kind: "end", outcome: "interrupted" }];
  if (isProgramText(text)) return reportSteps(text);
  return notPrompts.some((beginning) => text.startsWith(beginning)) ? [] : [{ kind: "prompt", at: timestamp, text }];
}

/** Reads a message from the program to the model. A message of another agent may start a turn. */
function reportSteps(text = ""): Step[] {
  const [, task] = /^<task-notification>[\s\S]*?<task-id>([^<]+)</.exec(text) ?? [];
  return [
    { kind: "report", isMates: /^\s*<(?:agent|team-?mate|peer)[\w-]*message\b/.test(text) },
    { kind: "task-end", id: task },
  ];
}

function resultSteps(content: unknown, { toolUseResult }: JsonObject, timestamp: unknown): Step[] {
  const results = findBlocks(content, "tool_result").map(
    ({ tool_use_id: id }) => ({ kind: "result", id, at: timestamp }) as const,
  );
  const shell = at(toolUseResult, "backgroundTaskId");
  const isLaunched = at(toolUseResult, "status") === "async_launched";
  const [agent, name] = [isLaunched && at(toolUseResult, "agentId"), at(toolUseResult, "description")];
  return [
    { kind: "task", id: shell, of: "shell", call: results[0]?.id },
    { kind: "task", id: agent, of: "agent", name },
    ...results,
  ];
}

function readModel({ isSidechain, message }: JsonObject): unknown {
  const model = at(message, "model");
  // `<synthetic>` messages come from the program, not the model.
  return isSidechain !== true && model !== "<synthetic>" && model;
}

/** Collects the token counts of each API message; the last line of a message counts. */
function usagesIn(records: readonly JsonObject[]): Iterable<unknown> {
  const messages = records.filter(({ type }) => type === "assistant").map(({ message }) => asObject(message) ?? {});
  const counted = messages.filter(({ usage }) => asObject(usage));
  return new Map(counted.map((message) => [asText(message.id) ?? message, message.usage])).values();
}
