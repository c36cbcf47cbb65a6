import { yesterday } from "../world/service/client.ts";
import { documentedEndpoints, newSettingsFields } from "../world/service/document.ts";
import type { Seen } from "../world/service/server.ts";

const analytics = ["tokens", "tools", "activity", "productivity", "users"].map((name) => `/api/v1/analytics/${name}`);
const reports = "/api/organization/maturity-level-reports";
const messages = "/api/v0/sessions/{sessionId}/messages";
const limited = documentedEndpoints.filter(({ query, base }) => query.includes("limit") && base === "baseUrl");

/** Documented values of parameters: those of enumerations, and the least and greatest of limits and days. */
const values: readonly (readonly [path: string, parameter: string, values: readonly string[]])[] = [
  ["/api/v1/analytics/tokens", "group_by", ["model"]],
  ["/api/v1/analytics/tools", "group_by", ["tool_name"]],
  ["/api/v1/analytics/activity", "group_by", ["client"]],
  [messages, "role", ["user", "assistant", "tool"]],
  [reports, "limit", ["1"]],
  ...limited.map(({ path }) => [path, "limit", ["1", "100"]] as const),
  ...analytics.map((path) => [path, "startDate", ["2026-01-14"]] as const),
  ...analytics.map((path) => [path, "endDate", [yesterday]] as const),
];

/** Documented lengths of fields in a body: minimum and maximum number of characters. */
const lengths: readonly (readonly [endpoint: string, field: string, lengths: readonly number[]])[] = [
  ["PATCH /api/v0/computers/{computerId}", "name", [1, 63]],
  ["PATCH /api/v0/computers/{computerId}", "remoteUser", [1, 63]],
  ["POST /api/v0/sessions", "cwd", [1, 4096]],
];

/** Documented statuses of failures; `/api/v0` has none. */
const failures: readonly (readonly [path: string, statuses: readonly number[]])[] = [
  ...analytics.map((path) => [path, [400, 401, 403, 500]] as const),
  [reports, [400, 401, 500]],
];

/** Everything that is documented about requests, one a row: endpoints, parameters, fields, statuses, values, limits. */
export const documentRows: readonly string[] = [
  ...documentedEndpoints.flatMap(({ method, path, query, body, status }) => [
    `${method} ${path} -> ${status}`,
    ...query.map((parameter) => `${method} ${path} ?${parameter}`),
    ...body.map((field) => `${method} ${path} {${field}}`),
    ...(body.includes("sessionSettings") ? newSettingsFields : []).map((field) => `${method} ${path} {${field}}`),
  ]),
  ...values.flatMap(([path, parameter, each]) => each.map((value) => `GET ${path} ?${parameter}=${value}`)),
  ...lengths.flatMap(([endpoint, field, each]) => each.map((length) => `${endpoint} {${field}} of ${length}`)),
  ...failures.flatMap(([path, statuses]) => statuses.map((status) => `GET ${path} -> ${status}`)),
];

/** Lists the rows that a request exercises. Its arguments count only if the service accepted them. */
export function rowsSeen({ base, method, url, body, status }: Seen): string[] {
  const served = documentedEndpoints.filter((endpoint) => endpoint.base === base && endpoint.method === method);
  const pattern = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
  const endpoint = served.find(({ path }) => pattern(path).test(url.pathname));
  const name = `${method} ${endpoint?.path ?? url.pathname}`;
  const answered = `${name} -> ${status}`;
  if (status !== endpoint?.status) return [answered];
  const query = [...url.searchParams].flatMap(([parameter, value]) => [parameter, `${parameter}=${value}`]);
  const fields = body === "" ? {} : (JSON.parse(body) as Record<string, unknown>);
  const settings = Object.keys((fields["sessionSettings"] ?? {}) as object);
  return [
    answered,
    ...query.map((part) => `${name} ?${part}`),
    ...Object.keys(fields).map((field) => `${name} {${field}}`),
    ...Object.entries(fields).map(([field, value]) => `${name} {${field}} of ${String(value).length}`),
    ...settings.map((field) => `${name} {sessionSettings.${field}}`),
  ];
}
