import { Refusal } from "./access.ts";
import { analyticsRoutes } from "./analytics-routes.ts";
import { after, limit, page, parseFields, textField } from "./checks.ts";
import type { Call, Route } from "./route.ts";
import { sessionRoutes } from "./session-routes.ts";
import type { FakeComputer } from "./state.ts";

const v0 = { host: "base", takesJwt: true } as const;
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function computer({ state, parts }: Call): FakeComputer {
  const found = state.computers.get(parts[0] ?? "");
  if (found === undefined) throw new Refusal(404, "No such computer.");
  return found;
}

function update(call: Call): FakeComputer {
  const old = computer(call);
  const given = parseFields(call.body, ["name", "hostId", "remoteUser"]);
  textField(given, "name", 1, 63);
  textField(given, "remoteUser", 1, 63);
  const hostId = textField(given, "hostId", 1, 100);
  if (hostId !== undefined && !uuidPattern.test(hostId)) throw new Refusal(400, "hostId must be a UUID.");
  const changed = { ...old, ...given };
  call.state.computers.set(old.id, changed);
  return changed;
}

function installDeps(call: Call): FakeComputer {
  if (call.body !== "") throw new Refusal(400, "No body is taken.");
  const changed = { ...computer(call), status: "provisioning" };
  call.state.computers.set(changed.id, changed);
  return changed;
}

/** Every documented endpoint. */
export const routes: readonly Route[] = [
  ...analyticsRoutes,
  {
    host: "app",
    method: "GET",
    path: "/api/organization/maturity-level-reports",
    query: ["repoId", "limit", "startAfter"],
    takesJwt: false,
    status: 200,
    answer({ query, state }) {
      const repoId = query.get("repoId");
      const own = state.reports.filter((candidate) => repoId === null || candidate.repoId === repoId);
      const start = query.get("startAfter") ?? undefined;
      const part = after(own, ({ report }) => report.reportId, start, limit(query, 50, 999_999_999));
      return { reports: part.items.map(({ report }) => report) };
    },
  },
  {
    ...v0,
    method: "GET",
    path: "/api/v0/organization/enterprise-controls/history",
    query: ["limit", "cursor"],
    status: 200,
    answer({ query, state }) {
      const { items, pagination } = page(query, state.changes, ({ revision }) => String(revision));
      return { changes: items, pagination };
    },
  },
  ...sessionRoutes,
  { ...v0, method: "PATCH", path: "/api/v0/computers/{computerId}", query: [], status: 200, answer: update },
  {
    ...v0,
    method: "POST",
    path: "/api/v0/computers/{computerId}/install-deps",
    query: [],
    status: 202,
    answer: installDeps,
  },
  {
    ...v0,
    method: "GET",
    path: "/api/v0/organization/users",
    query: ["limit", "cursor"],
    status: 200,
    answer({ query, state }) {
      const { items, pagination } = page(query, state.users, ({ id }) => id);
      return { users: items, pagination };
    },
  },
];
