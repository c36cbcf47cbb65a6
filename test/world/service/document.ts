/** The endpoints of the API document, as data. */

export interface DocumentedEndpoint {
  readonly method: "GET" | "POST" | "PATCH";
  readonly base: "baseUrl" | "appUrl";
  readonly path: string;
  readonly query: readonly string[];
  readonly required: readonly string[];
  readonly body: readonly string[];
  readonly status: 200 | 201 | 202;
  /** Field that holds the list. */
  readonly list?: string;
}

const get = { method: "GET", base: "baseUrl", required: [], body: [], status: 200 } as const;
const analytics = { ...get, required: ["startDate", "endDate"], list: "data" } as const;
const dates = ["startDate", "endDate"] as const;
const post = { ...get, method: "POST", query: [] } as const;
const v0 = "/api/v0";
const reports = "/api/organization/maturity-level-reports";
const messages = `${v0}/sessions/{sessionId}/messages`;
const newSession = ["computerId", "cwd", "sessionSettings"];

export const documentedEndpoints: readonly DocumentedEndpoint[] = [
  { ...analytics, path: "/api/v1/analytics/tokens", query: [...dates, "group_by"] },
  { ...analytics, path: "/api/v1/analytics/tools", query: [...dates, "group_by"] },
  { ...analytics, path: "/api/v1/analytics/activity", query: [...dates, "group_by"] },
  { ...analytics, path: "/api/v1/analytics/productivity", query: dates },
  { ...analytics, path: "/api/v1/analytics/users", query: [...dates, "limit", "cursor"] },
  { ...get, base: "appUrl", path: reports, query: ["repoId", "limit", "startAfter"], list: "reports" },
  { ...get, path: `${v0}/organization/enterprise-controls/history`, query: ["limit", "cursor"], list: "changes" },
  { ...get, path: `${v0}/sessions`, query: ["limit", "cursor", "computerId"], list: "sessions" },
  { ...post, path: `${v0}/sessions`, required: ["computerId"], body: newSession, status: 201 },
  { ...get, path: messages, query: ["limit", "cursor", "computerId", "role"], list: "messages" },
  { ...get, path: `${messages}/{messageId}`, query: ["computerId"] },
  { ...post, method: "PATCH", path: `${v0}/computers/{computerId}`, body: ["name", "hostId", "remoteUser"] },
  { ...post, path: `${v0}/computers/{computerId}/install-deps`, status: 202 },
  { ...get, path: `${v0}/organization/users`, query: ["limit", "cursor"], list: "users" },
];

/** Fields of `sessionSettings` in a request: those of a reply without the token counts. */
export const newSettingsFields = [
  ...["model", "specModeModel", "providerLockTimestamp", "assistantActiveTimeMs", "archivedAt", "tags"],
  ...["childInclusiveTokenUsageBySessionId", "enabledToolIds", "disabledToolIds"],
].map((field) => `sessionSettings.${field}`);
