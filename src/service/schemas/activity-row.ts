import * as z from "zod";
import { openEnum, openObject } from "./open.ts";

/** Client types: command line with a terminal, web application, headless command line. */
export const clientTypes = ["terminal-ui", "web", "non-interactive-cli"] as const;
export const clientTypeSchema = openEnum(clientTypes);
export type ClientType = z.output<typeof clientTypeSchema>;

/** `/activity` without `group_by`: one day. A user of several clients counts once, and once in each client's number. */
export const activityRowSchema = openObject({
  date: z.string(),
  daily_active_users: z.number(),
  weekly_active_users: z.number(),
  monthly_active_users: z.number(),
  daily_active_users_by_client: z.record(z.string(), z.number()),
  sessions: z.number(),
  messages: z.number(),
  user_messages: z.number(),
});
export type ActivityRow = z.output<typeof activityRowSchema>;

/** `/activity` with `group_by=client`: one client type on one day. */
export const activityByClientRowSchema = openObject({
  date: z.string(),
  group_key: clientTypeSchema,
  daily_active_users: z.number(),
});
export type ActivityByClientRow = z.output<typeof activityByClientRowSchema>;
