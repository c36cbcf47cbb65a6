import * as z from "zod";
import { openObject } from "./open.ts";

export const extensionCountSchema = openObject({ extension: z.string(), count: z.number() });
export const languageCountSchema = openObject({ language: z.string(), count: z.number() });

/** `/productivity`: one day. */
export const productivityRowSchema = openObject({
  date: z.string(),
  files_created: z.number(),
  files_edited: z.number(),
  by_extension: z.array(extensionCountSchema),
  by_language: z.array(languageCountSchema),
  git_commits: z.number(),
  git_prs_created: z.number(),
});
export type ProductivityRow = z.output<typeof productivityRowSchema>;
