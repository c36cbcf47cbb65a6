import type { Endpoint, ListEndpoint } from "./endpoint.ts";
import { activity, productivity, tokens, tools, userMetrics } from "./resources/analytics-endpoints.ts";
import { installDeps, updateComputer } from "./resources/computers.ts";
import { controlHistory } from "./resources/enterprise-controls.ts";
import { readinessReports } from "./resources/readiness.ts";
import { createSession, getMessage, listMessages, listSessions } from "./resources/session-endpoints.ts";
import { listUsers } from "./resources/users.ts";

/**
 * Every operation of the service's interface, in the document's order. How versions are agreed on, and how long one
 * stays, is not shown: the paths carry `v1`, `v0` or none. Nor are webhooks, or anything else the service would push.
 */
export const endpoints: readonly (Endpoint | ListEndpoint)[] = [
  tokens,
  tools,
  activity,
  productivity,
  userMetrics,
  readinessReports,
  controlHistory,
  listSessions,
  createSession,
  listMessages,
  getMessage,
  updateComputer,
  installDeps,
  listUsers,
];
