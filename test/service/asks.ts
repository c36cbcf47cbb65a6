import type { List, ServiceClient } from "../../src/service.ts";
import { lastDay, noonMs, yesterday } from "../world/service/client.ts";
import { makeReports } from "../world/service/records.ts";
import { longestSession, makeSession } from "../world/service/sessions.ts";

const first = { startDate: "2026-01-14", endDate: "2026-01-14" };
const two = { startDate: "2026-06-13", endDate: yesterday };

const session = makeSession(longestSession).sessionId;
const message = `msg_${session.slice(0, 8)}_4`;
const report = makeReports(1)[0]?.report.reportId ?? "";

const hostId = "0b6f4a5c-9a3e-4b7f-8a41-3f5f0f7b9f10";
const sessionSettings = {
  model: "model-large",
  specModeModel: "model-small",
  providerLockTimestamp: "2026-06-14T12:00:00Z",
  assistantActiveTimeMs: 1500.5,
  childInclusiveTokenUsageBySessionId: { child: { inputTokens: 1 } },
  archivedAt: "2026-06-14T12:00:00Z",
  tags: [{ name: "shop", metadata: { ticket: 7 } }, { name: "bare" }],
  enabledToolIds: ["Read"],
  disabledToolIds: ["Execute"],
};

/** Number of items on the first page of a list. */
export const count = async (list: List<unknown>): Promise<number> => (await list.page()).items.length;
/** Number of items on the second page of a list. */
const countSecond = async (list: List<unknown>): Promise<number> => {
  const { next } = await list.page();
  return (await list.page(next)).items.length;
};

/** A call of the client. */
export type Ask = (client: ServiceClient) => Promise<unknown>;
/** Calls that the sandbox accepts, and their results: a number of items, or an object with these fields. */
export const asks: readonly (readonly [endpoint: string, title: string, ask: Ask, gives: unknown])[] = [
  ["analytics/tokens", "credits of the first day", ({ analytics: a }) => count(a.tokens(first)), 1],
  ["analytics/tokens", "credits by model", ({ analytics: a }) => count(a.tokens({ ...two, groupBy: "model" })), 6],
  ["analytics/tools", "tool use of the first day", ({ analytics: a }) => count(a.tools(first)), 1],
  ["analytics/tools", "use by tool", ({ analytics: a }) => count(a.tools({ ...two, groupBy: "tool_name" })), 12],
  ["analytics/activity", "activity of the first day", ({ analytics: a }) => count(a.activity(first)), 1],
  [
    "analytics/activity",
    "activity by client",
    ({ analytics: a }) => count(a.activity({ ...two, groupBy: "client" })),
    6,
  ],
  ["analytics/productivity", "productivity of the first day", ({ analytics: a }) => count(a.productivity(first)), 1],
  ["analytics/productivity", "productivity up to yesterday", ({ analytics: a }) => count(a.productivity(two)), 2],
  ["analytics/users", "users of the first day", ({ analytics: a }) => count(a.users(first)), 20],
  ["analytics/users", "one user", ({ analytics: a }) => count(a.users({ ...lastDay, limit: 1 })), 1],
  [
    "analytics/users",
    "a second page of users",
    ({ analytics: a }) => countSecond(a.users({ ...lastDay, limit: 100 })),
    100,
  ],
  ["maturity-level-reports", "the newest report", ({ readiness: r }) => count(r.reports({ limit: 1 })), 1],
  [
    "maturity-level-reports",
    "a repository's reports",
    ({ readiness: r }) => count(r.reports({ repoId: "repo-3" })),
    15,
  ],
  [
    "maturity-level-reports",
    "reports after one",
    ({ readiness: r }) => count(r.reports({ startAfter: report, limit: 500 })),
    119,
  ],
  [
    "enterprise-controls/history",
    "the newest change",
    ({ enterpriseControls: c }) => count(c.history({ limit: 1 })),
    1,
  ],
  ["enterprise-controls/history", "all changes", ({ enterpriseControls: c }) => count(c.history({ limit: 100 })), 60],
  [
    "enterprise-controls/history",
    "a second page of changes",
    ({ enterpriseControls: c }) => countSecond(c.history()),
    20,
  ],
  ["v0/sessions", "one session", ({ sessions: s }) => count(s.list({ limit: 1 })), 1],
  ["v0/sessions", "a second page of sessions", ({ sessions: s }) => countSecond(s.list({ limit: 100 })), 100],
  [
    "v0/sessions",
    "a computer's sessions",
    ({ sessions: s }) => count(s.list({ computerId: "computer_3", limit: 100 })),
    50,
  ],
  [
    "v0/sessions",
    "a new session",
    ({ sessions: s }) => s.create({ computerId: "computer_1", cwd: "/", sessionSettings }),
    { status: "pending", computerId: "computer_1", sessionSettings },
  ],
  [
    "v0/sessions",
    "a new session in a deep folder",
    ({ sessions: s }) => s.create({ computerId: "computer_1", cwd: "x".repeat(4096) }),
    { messageCount: 0, createdAt: noonMs },
  ],
  ["{sessionId}/messages", "one message of a list", ({ sessions: s }) => count(s.messages(session, { limit: 1 })), 1],
  [
    "{sessionId}/messages",
    "a second page of messages",
    ({ sessions: s }) => countSecond(s.messages(session, { limit: 100 })),
    100,
  ],
  [
    "{sessionId}/messages",
    "messages on a computer",
    ({ sessions: s }) => count(s.messages(session, { computerId: "computer_0" })),
    20,
  ],
  [
    "{sessionId}/messages",
    "the user's messages",
    ({ sessions: s }) => count(s.messages(session, { role: "user", limit: 100 })),
    75,
  ],
  [
    "{sessionId}/messages",
    "the assistant's messages",
    ({ sessions: s }) => count(s.messages(session, { role: "assistant", limit: 100 })),
    100,
  ],
  [
    "{sessionId}/messages",
    "the tools' messages",
    ({ sessions: s }) => count(s.messages(session, { role: "tool", limit: 100 })),
    75,
  ],
  [
    "messages/{messageId}",
    "a message",
    ({ sessions: s }) => s.message(session, message),
    { role: "assistant", content: [{ text: "Message 4 of assistant.", id: "part_4" }], vendorXPhase: "final_answer" },
  ],
  [
    "messages/{messageId}",
    "a message on a computer",
    ({ sessions: s }) => s.message(session, message, { computerId: "computer_0" }),
    { role: "assistant" },
  ],
  [
    "computers/{computerId}",
    "a computer with short names",
    ({ computers: c }) => c.update("computer_1", { name: "n", remoteUser: "u" }),
    { id: "computer_1", name: "n", remoteUser: "u" },
  ],
  [
    "computers/{computerId}",
    "a computer with long names",
    ({ computers: c }) => c.update("computer_1", { name: "n".repeat(63), remoteUser: "u".repeat(63) }),
    { remoteUser: "u".repeat(63) },
  ],
  [
    "computers/{computerId}",
    "a computer on another host",
    ({ computers: c }) => c.update("computer_1", { hostId }),
    { hostId },
  ],
  [
    "install-deps",
    "a computer that installs again",
    ({ computers: c }) => c.installDeps("computer_2"),
    { id: "computer_2", status: "provisioning" },
  ],
  ["organization/users", "one user of the organization", ({ users: u }) => count(u.list({ limit: 1 })), 1],
  [
    "organization/users",
    "a second page of the organization",
    ({ users: u }) => countSecond(u.list({ limit: 100 })),
    100,
  ],
];
