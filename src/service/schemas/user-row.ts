import * as z from "zod";
import { openEnum, openObject } from "./open.ts";

/** A user's primary autonomy mode, from most to least of it; `spec` plans before it executes. */
export const delegationLevels = ["auto-high", "auto-medium", "auto-low", "spec", "manual"] as const;
export const delegationLevelSchema = openEnum(delegationLevels);
export type DelegationLevel = z.output<typeof delegationLevelSchema>;

export const modelTiers = ["standard", "thinking"] as const;
export const modelTierSchema = openEnum(modelTiers);
export type ModelTier = z.output<typeof modelTierSchema>;

/** `/users`: one user on one day. `autonomy_ratio` is tool calls per user turn. */
export const userRowSchema = openObject({
  user_id: z.string(),
  user_email: z.string().nullable(),
  date: z.string(),
  tool_calls: z.number(),
  billable_tokens: z.number(),
  primary_model: z.string(),
  primary_model_tier: modelTierSchema,
  files_created: z.number(),
  files_edited: z.number(),
  git_commits: z.number(),
  git_prs_created: z.number(),
  mcp_calls: z.number(),
  skill_calls: z.number(),
  slash_commands: z.number(),
  hooks: z.number(),
  sessions: z.number(),
  messages: z.number(),
  user_messages: z.number(),
  assistant_messages: z.number(),
  autonomy_ratio: z.number(),
  delegation_level: delegationLevelSchema,
  languages: z.array(z.string()),
});
export type UserRow = z.output<typeof userRowSchema>;
