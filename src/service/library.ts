import type { BodyOf, QueryOf } from "./endpoint.ts";
import type { activity, productivity, tokens, tools, userMetrics } from "./resources/analytics.ts";
import type { updateComputer } from "./resources/computers.ts";
import type { controlHistory } from "./resources/enterprise-controls.ts";
import type { readinessReports } from "./resources/readiness.ts";
import type { createSession, getMessage, listMessages, listSessions } from "./resources/sessions.ts";
import type { listUsers } from "./resources/users.ts";

/** Exports of `beckon/service` and `beckon/service/fetch` in addition to the client. */
export type { HttpPort, HttpReply, HttpRequest } from "../core/http-port.ts";
export { isDay } from "../text/time.ts";
export { dayOf, earliestDay } from "./arguments.ts";
export type { CallOptions, RowPlace } from "./call-options.ts";
export type { Credentials } from "./client.ts";
export type { Endpoint, ListEndpoint } from "./endpoint.ts";
export { endpoints } from "./endpoints.ts";
export * from "./error.ts";
export type { ExchangeHooks, SentRequest, SentResult } from "./exchange.ts";
export { List } from "./list.ts";
export type { Page } from "./paging.ts";
export { maxLimit } from "./paging.ts";
export type { RawArguments, RawMethod } from "./request.ts";
export type { Span } from "./resources/analytics.ts";
export { messageFilterRoles } from "./resources/sessions.ts";
export * from "./schemas/analytics.ts";
export * from "./schemas/objects.ts";
export type { Open } from "./schemas/open.ts";
export type { ResponseInfo, ServiceCall } from "./service-call.ts";

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
