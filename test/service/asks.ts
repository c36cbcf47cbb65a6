import { longestSession, makeSession } from "../../src/fake-service/sessions.ts";
import { makeReports } from "../../src/fake-service/state.ts";
import type { List, ServiceClient } from "../../src/service.ts";
import { lastDay, noonMs, yesterday } from "../world/service/client.ts";

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

/** Counts the items on the first page of a list. */
export const count = async (list: List<unknown>): Promise<number> => (await list.page()).items.length;
/** Counts the items on the second page of a list. */
const countSecond = async (list: List<unknown>): Promise<number> => {
  const { next } = await list.page();
  return (await list.page(next)).items.length;
};

const [reports, history] = ["maturity-level-reports", "enterprise-controls/history"];
const [messages, oneMessage] = ["{sessionId}/messages", "messages/{messageId}"];
const computers = "computers/{computerId}";
const computer = "computer_1";
const byAssistant = { role: "assistant" } as const;
const byClient = { ...two, groupBy: "client" } as const;
const most = { limit: 100 };
const onThird = { computerId: "computer_3", ...most };
const countBy = ({ sessions }: ServiceClient, role: "user" | "assistant" | "tool") =>
  count(sessions.messages(session, { role, ...most }));
const content = [{ text: "Message 4 of assistant.", id: "part_4" }];
const fourth = { ...byAssistant, content, vendorXPhase: "final_answer" };
const onComputer = { computerId: "computer_0" };
const installing = { id: "computer_2", status: "provisioning" };
const pending = { status: "pending", computerId: "computer_1", sessionSettings };
const short = { name: "n", remoteUser: "u" };
const long = { name: "n".repeat(63), remoteUser: "u".repeat(63) };
const fresh = { messageCount: 0, createdAt: noonMs };
const inDeepFolder = { computerId: "computer_1", cwd: "x".repeat(4096) };
const newSession = { computerId: "computer_1", cwd: "/", sessionSettings };

/** A call of the client. */
export type Ask = (client: ServiceClient) => Promise<unknown>;
/** Calls that the sandbox accepts, and their results: a number of items, or an object with these fields. */
export const asks: readonly (readonly [endpoint: string, title: string, ask: Ask, gives: unknown])[] = [
  ["analytics/tokens", "credits of the first day", (client) => count(client.analytics.tokens(first)), 1],
  ["analytics/tokens", "credits by model", (client) => count(client.analytics.tokens({ ...two, groupBy: "model" })), 6],
  ["analytics/tools", "tool use of the first day", (client) => count(client.analytics.tools(first)), 1],
  ["analytics/tools", "use by tool", (client) => count(client.analytics.tools({ ...two, groupBy: "tool_name" })), 12],
  ["analytics/activity", "activity of the first day", (client) => count(client.analytics.activity(first)), 1],
  ["analytics/activity", "activity by client", (client) => count(client.analytics.activity(byClient)), 6],
  ["analytics/productivity", "output of the first day", (client) => count(client.analytics.productivity(first)), 1],
  ["analytics/productivity", "productivity up to yesterday", (client) => count(client.analytics.productivity(two)), 2],
  ["analytics/users", "users of the first day", (client) => count(client.analytics.users(first)), 20],
  ["analytics/users", "one user", (client) => count(client.analytics.users({ ...lastDay, limit: 1 })), 1],
  ["analytics/users", "a second page", (client) => countSecond(client.analytics.users({ ...lastDay, ...most })), 100],
  [reports, "the newest report", (client) => count(client.readiness.reports({ limit: 1 })), 1],
  [reports, "a repository's reports", (client) => count(client.readiness.reports({ repoId: "repo-3" })), 15],
  [reports, "reports after one", (client) => count(client.readiness.reports({ startAfter: report, limit: 500 })), 119],
  [history, "the newest change", (client) => count(client.enterpriseControls.history({ limit: 1 })), 1],
  [history, "all changes", (client) => count(client.enterpriseControls.history({ limit: 100 })), 60],
  [history, "a second page of changes", (client) => countSecond(client.enterpriseControls.history()), 20],
  ["v0/sessions", "one session", (client) => count(client.sessions.list({ limit: 1 })), 1],
  ["v0/sessions", "a second page of sessions", (client) => countSecond(client.sessions.list({ limit: 100 })), 100],
  ["v0/sessions", "a computer's sessions", (client) => count(client.sessions.list(onThird)), 50],
  ["v0/sessions", "a new session", (client) => client.sessions.create(newSession), pending],
  ["v0/sessions", "a new session in a deep folder", (client) => client.sessions.create(inDeepFolder), fresh],
  [messages, "one message of a list", (client) => count(client.sessions.messages(session, { limit: 1 })), 1],
  [messages, "a second page of messages", (client) => countSecond(client.sessions.messages(session, most)), 100],
  [messages, "messages on a computer", (client) => count(client.sessions.messages(session, onComputer)), 20],
  [messages, "the user's messages", (client) => countBy(client, "user"), 75],
  [messages, "the assistant's messages", (client) => countBy(client, "assistant"), 100],
  [messages, "the tools' messages", (client) => countBy(client, "tool"), 75],
  [oneMessage, "a message", (client) => client.sessions.message(session, message), fourth],
  [oneMessage, "one on a computer", ({ sessions }) => sessions.message(session, message, onComputer), byAssistant],
  [computers, "a computer with short names", (client) => client.computers.update(computer, short), short],
  [computers, "a computer with long names", (client) => client.computers.update(computer, long), long],
  [computers, "a computer on another host", (client) => client.computers.update("computer_1", { hostId }), { hostId }],
  ["install-deps", "a computer that installs", (client) => client.computers.installDeps("computer_2"), installing],
  ["organization/users", "one user of the organization", (client) => count(client.users.list({ limit: 1 })), 1],
  ["organization/users", "a second page of the organization", (client) => countSecond(client.users.list(most)), 100],
];
