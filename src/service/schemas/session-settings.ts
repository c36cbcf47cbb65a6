import * as z from "zod";
import { anyObject, openObject } from "./open.ts";

/** Token counts of a session. Which of them are always there is not shown: all are optional here. */
export const sessionTokenUsageSchema = openObject({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  cacheCreationTokens: z.number().optional(),
  cacheReadTokens: z.number().optional(),
  thinkingTokens: z.number().optional(),
  serviceCredits: z.number().optional(),
});
export type SessionTokenUsage = z.output<typeof sessionTokenUsageSchema>;

export const sessionTagSchema = openObject({ name: z.string(), metadata: anyObject.optional() });

/**
 * A session's settings. Which fields are required, and the format of `archivedAt` and `providerLockTimestamp`, is not
 * shown: all are optional texts. `tokenUsage` and `inclusiveTokenUsage` appear in replies only.
 */
export const sessionSettingsSchema = openObject({
  model: z.string().optional(),
  specModeModel: z.string().optional(),
  providerLockTimestamp: z.string().optional(),
  assistantActiveTimeMs: z.number().optional(),
  tokenUsage: sessionTokenUsageSchema.optional(),
  inclusiveTokenUsage: sessionTokenUsageSchema.optional(),
  childInclusiveTokenUsageBySessionId: anyObject.optional(),
  archivedAt: z.string().optional(),
  tags: z.array(sessionTagSchema).optional(),
  enabledToolIds: z.array(z.string()).optional(),
  disabledToolIds: z.array(z.string()).optional(),
});
export type SessionSettings = z.output<typeof sessionSettingsSchema>;
