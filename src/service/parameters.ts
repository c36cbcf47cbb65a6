import type { BodyOf, QueryOf } from "./endpoint.ts";
import type { activity, productivity, tokens, tools, userMetrics } from "./resources/analytics.ts";
import type { updateComputer } from "./resources/computers.ts";
import type { controlHistory } from "./resources/enterprise-controls.ts";
import type { readinessReports } from "./resources/readiness.ts";
import type { createSession, getMessage, listMessages, listSessions } from "./resources/sessions.ts";
import type { listUsers } from "./resources/users.ts";

/** Parameters of `analytics.tokens`. */
export type TokensQuery = QueryOf<typeof tokens>;
/** Parameters of `analytics.tools`. */
export type ToolsQuery = QueryOf<typeof tools>;
/** Parameters of `analytics.activity`. */
export type ActivityQuery = QueryOf<typeof activity>;
/** Parameters of `analytics.productivity`. */
export type ProductivityQuery = QueryOf<typeof productivity>;
/** Parameters of `analytics.users`. */
export type UserMetricsQuery = QueryOf<typeof userMetrics>;
/** Parameters of `readiness.reports`. */
export type ReadinessReportsQuery = QueryOf<typeof readinessReports>;
/** Parameters of `enterpriseControls.history`. */
export type ControlHistoryQuery = QueryOf<typeof controlHistory>;
/** Parameters of `sessions.list`. */
export type SessionsQuery = QueryOf<typeof listSessions>;
/** Body of `sessions.create`. */
export type NewSession = BodyOf<typeof createSession>;
/** Parameters of `sessions.messages`. */
export type MessagesQuery = QueryOf<typeof listMessages>;
/** Parameters of `sessions.message`. */
export type MessageQuery = QueryOf<typeof getMessage>;
/** Body of `computers.update`. */
export type ComputerChange = BodyOf<typeof updateComputer>;
/** Parameters of `users.list`. */
export type UsersQuery = QueryOf<typeof listUsers>;
