import type { Session } from "../service/schemas/objects.ts";
import { minuteMs } from "../text/time.ts";
import { between, chance, pick, uuid } from "./random.ts";

const startMs = Date.UTC(2026, 5, 1);
/** Index of the session that has enough messages for three pages of 100. */
export const longestSession = 0;
/** Number of messages in the session with the index `longestSession`. */
export const longestMessages = 300;

/** Makes the nth session, newest first. */
export function makeSession(n: number, seed = 0) {
  const messageCount = n === longestSession ? longestMessages : between(4, 12, seed, n, 50);
  const createdAt = startMs - n * 60 * minuteMs;
  const tokens = between(1_000, 900_000, seed, n, 51);
  const tokenUsage = {
    inputTokens: tokens,
    outputTokens: Math.floor(tokens / 10),
    cacheCreationTokens: Math.floor(tokens / 5),
    cacheReadTokens: tokens * 3,
    thinkingTokens: Math.floor(tokens / 20),
    serviceCredits: Math.floor(tokens / 3),
  };
  return {
    sessionId: uuid(seed, n, 52),
    status: pick(["idle", "idle", "pending", "running"], seed, n, 53),
    messageCount,
    createdAt,
    updatedAt: createdAt + messageCount * minuteMs,
    ...(chance(seed, n, 54) < 0.9 && { title: `Task ${n}: fix the shop` }),
    ...(chance(seed, n, 55) < 0.5 && { completedAt: createdAt + messageCount * minuteMs }),
    computerId: `computer_${n % 5}`,
    sessionSettings: {
      model: "model-large",
      tokenUsage,
      inclusiveTokenUsage: tokenUsage,
      tags: [{ name: "sandbox", metadata: { n } }],
      enabledToolIds: ["Read", "Edit"],
    },
  };
}

const roles = ["user", "assistant", "tool", "assistant"] as const;

/** Makes a session's messages, newest first: questions, tool calls, answers; the oldest is the system's. */
export function makeMessages({ sessionId, messageCount, createdAt }: Session) {
  return Array.from({ length: messageCount }, (_, back) => {
    const n = messageCount - 1 - back;
    const role = n === 0 ? "system" : (roles[(n - 1) % 4] ?? "user");
    const at = createdAt + n * minuteMs;
    return {
      id: `msg_${sessionId.slice(0, 8)}_${n}`,
      role,
      content: [{ text: `Message ${n} of ${role}.`, id: `part_${n}` }],
      createdAt: at,
      updatedAt: at,
      ...(n > 0 && { parentId: `msg_${sessionId.slice(0, 8)}_${n - 1}` }),
      ...(role === "user" && { userMessageSource: "cli_tui", visibility: "both" }),
      ...(role === "assistant" && { vendorXPhase: n % 8 === 4 ? "final_answer" : null, isUserVisible: true }),
      ...(role === "tool" && { isError: n % 30 === 3, visibility: "llm_only" }),
    };
  });
}
