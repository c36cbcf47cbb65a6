import * as z from "zod";
import { openEnum, openObject } from "./open.ts";

export const messageRoles = ["user", "assistant", "tool", "system"] as const;
export const messageRoleSchema = openEnum(messageRoles);
export type MessageRole = z.output<typeof messageRoleSchema>;

export const userMessageSources = [
  "web",
  "desktop",
  "cli_tui",
  "cli_exec",
  "cli_acp",
  "chat_app",
  "issue_tracker",
  "sessions_api",
  "api",
  "automation",
  "readiness-remediation",
  "readiness-evaluation",
  "wiki-generation",
  "wiki-ci-setup",
] as const;
export const userMessageSourceSchema = openEnum(userMessageSources);

export const messageVisibilities = ["both", "llm_only", "user_only"] as const;
export const messageVisibilitySchema = openEnum(messageVisibilities);

export const vendorXPhases = ["commentary", "final_answer"] as const;
export const vendorXPhaseSchema = openEnum(vendorXPhases);

export const reasoningFields = ["reasoning", "reasoning_content"] as const;
export const reasoningFieldSchema = openEnum(reasoningFields);

/** A part of a message. */
export const messageContentSchema = openObject({ text: z.string(), id: z.string() });

/** One message. Times are Unix ms. `vendorYThoughtSignature` is deprecated. */
export const messageSchema = openObject({
  id: z.string(),
  role: messageRoleSchema,
  content: z.array(messageContentSchema),
  createdAt: z.number(),
  updatedAt: z.number(),
  parentId: z.string().optional(),
  userMessageSource: userMessageSourceSchema.optional(),
  visibility: messageVisibilitySchema.optional(),
  vendorXMessageId: z.string().optional(),
  vendorXPhase: vendorXPhaseSchema.nullish(),
  vendorXEncryptedContent: z.string().optional(),
  vendorXReasoningId: z.string().optional(),
  vendorXReasoningSummary: z.string().optional(),
  vendorYThoughtSignature: z.string().optional(),
  chatCompletionReasoningField: reasoningFieldSchema.optional(),
  chatCompletionReasoningContent: z.string().optional(),
  isUserVisible: z.boolean().optional(),
  isError: z.boolean().optional(),
});
export type Message = z.output<typeof messageSchema>;

/** A message in a list. Which fields it has there, `role` included, is not shown: all but its id are optional. */
export const listedMessageSchema = messageSchema.partial({
  role: true,
  content: true,
  createdAt: true,
  updatedAt: true,
});
export type ListedMessage = z.output<typeof listedMessageSchema>;
