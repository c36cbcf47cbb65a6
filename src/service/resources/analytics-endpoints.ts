import * as z from "zod";
import { cursor, days, limit, maxLimit } from "../arguments.ts";
import { type ListEndpoint, managers } from "../endpoint.ts";
import { activityByClientRowSchema, activityRowSchema } from "../schemas/activity-row.ts";
import { envelopeOf, pagedAnalyticsMetaSchema } from "../schemas/analytics-envelope.ts";
import { creditsByModelRowSchema, creditsRowSchema } from "../schemas/credits-row.ts";
import { productivityRowSchema } from "../schemas/productivity-row.ts";
import { toolUsageByToolRowSchema, toolUsageRowSchema } from "../schemas/tool-usage-row.ts";
import { userRowSchema } from "../schemas/user-row.ts";

const shared = { method: "GET", base: "baseUrl", roles: managers, daily: true, status: 200, items: "data" } as const;

export const tokens = {
  ...shared,
  name: "analytics.tokens",
  summary: "Credits and tokens by day, or by model and day.",
  path: "/api/v1/analytics/tokens",
  query: z.strictObject({
    ...days,
    groupBy: z.literal("model", 'must be "model"').optional().describe("Rows by model and day."),
  }),
  reply: envelopeOf(creditsRowSchema),
} as const satisfies ListEndpoint;
export const tokensByModel = { ...tokens, reply: envelopeOf(creditsByModelRowSchema) };

export const tools = {
  ...shared,
  name: "analytics.tools",
  summary: "Use of tools, MCP servers, skills, slash commands and hooks by day, or of tools by tool and day.",
  path: "/api/v1/analytics/tools",
  query: z.strictObject({
    ...days,
    groupBy: z.literal("tool_name", 'must be "tool_name"').optional().describe("Rows by tool and day."),
  }),
  reply: envelopeOf(toolUsageRowSchema),
} as const satisfies ListEndpoint;
export const toolsByTool = { ...tools, reply: envelopeOf(toolUsageByToolRowSchema) };

export const activity = {
  ...shared,
  name: "analytics.activity",
  summary: "Active users, sessions and messages by day, or active users by client and day.",
  path: "/api/v1/analytics/activity",
  query: z.strictObject({
    ...days,
    groupBy: z.literal("client", 'must be "client"').optional().describe("Rows by client and day."),
  }),
  reply: envelopeOf(activityRowSchema),
} as const satisfies ListEndpoint;
export const activityByClient = { ...activity, reply: envelopeOf(activityByClientRowSchema) };

export const productivity = {
  ...shared,
  name: "analytics.productivity",
  summary: "Files, commits and pull requests by day.",
  path: "/api/v1/analytics/productivity",
  query: z.strictObject(days),
  reply: envelopeOf(productivityRowSchema),
} as const satisfies ListEndpoint;

export const userMetrics = {
  ...shared,
  name: "analytics.users",
  summary: "Every user's numbers.",
  path: "/api/v1/analytics/users",
  query: z.strictObject({ ...days, limit, cursor }),
  reply: envelopeOf(userRowSchema).extend({ meta: pagedAnalyticsMetaSchema }),
  paging: { parameter: "cursor", at: "meta", more: "has_more", next: "next_cursor", walkSize: maxLimit },
} as const satisfies ListEndpoint;
