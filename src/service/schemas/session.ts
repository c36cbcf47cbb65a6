import * as z from "zod";
import { openEnum, openObject } from "./open.ts";
import { sessionSettingsSchema } from "./session-settings.ts";

/** What a session is doing. When it passes from one to another is not shown. */
export const sessionStatuses = ["idle", "pending", "running"] as const;
export const sessionStatusSchema = openEnum(sessionStatuses);
export type SessionStatus = z.output<typeof sessionStatusSchema>;

/** A session as `create` gives it back. Times are Unix ms. */
export const sessionSchema = openObject({
  sessionId: z.string(),
  status: sessionStatusSchema,
  messageCount: z.int(),
  createdAt: z.int(),
  updatedAt: z.int(),
  title: z.string().optional(),
  completedAt: z.int().optional(),
  computerId: z.string().optional(),
  sessionSettings: sessionSettingsSchema.optional(),
});
export type Session = z.output<typeof sessionSchema>;

/** A session in the list. Which fields it has there, `status` included, is not shown: all but its id are optional. */
export const listedSessionSchema = sessionSchema.partial({
  status: true,
  messageCount: true,
  createdAt: true,
  updatedAt: true,
});
export type ListedSession = z.output<typeof listedSessionSchema>;
