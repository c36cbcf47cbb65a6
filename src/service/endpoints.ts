import type { Endpoint } from "./endpoint.ts";
import { activity, productivity, tokens, tools, userMetrics } from "./resources/analytics.ts";
import { installDeps, updateComputer } from "./resources/computers.ts";
import { controlHistory } from "./resources/enterprise-controls.ts";
import { readinessReports } from "./resources/readiness.ts";
import { createSession, getMessage, listMessages, listSessions } from "./resources/sessions.ts";
import { listUsers } from "./resources/users.ts";

/**
 * Every operation of the service's API, in the order of the API document. Paths have `v1`, `v0` or no version. The
 * document promises no support period for a version, and describes no webhooks.
 */
export const endpoints: readonly Endpoint[] = [
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
