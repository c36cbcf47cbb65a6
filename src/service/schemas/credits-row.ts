import * as z from "zod";
import { openObject } from "./open.ts";

/** Credits and tokens of one model. `billable_tokens` are Standard Credits. */
export const modelCreditsSchema = openObject({
  model_id: z.string(),
  model_tier: z.string(),
  billable_tokens: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
});
export type ModelCredits = z.output<typeof modelCreditsSchema>;

/** Credits of one user. */
export const userCreditsSchema = openObject({
  user_id: z.string(),
  user_email: z.string().nullable(),
  billable_tokens: z.number(),
  by_model: z.array(modelCreditsSchema),
});
export type UserCredits = z.output<typeof userCreditsSchema>;

/** `/tokens` without `group_by`: one day. */
export const creditsRowSchema = openObject({
  date: z.string(),
  billable_tokens: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_tokens: z.number(),
  cache_write_tokens: z.number(),
  by_model: z.array(modelCreditsSchema),
  by_user: z.array(userCreditsSchema),
});
export type CreditsRow = z.output<typeof creditsRowSchema>;

/** `/tokens` with `group_by=model`: one model on one day; `group_key` is the model id. */
export const creditsByModelRowSchema = openObject({
  date: z.string(),
  group_key: z.string(),
  billable_tokens: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
});
export type CreditsByModelRow = z.output<typeof creditsByModelRowSchema>;
