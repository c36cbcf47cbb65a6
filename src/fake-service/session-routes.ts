import { Refusal } from "./access.ts";
import { choice, page, parseFields, textField } from "./checks.ts";
import { uuid } from "./random.ts";
import type { Call, Route } from "./route.ts";
import type { FakeSession } from "./sessions.ts";
import { findMessages } from "./state.ts";

const shared = { host: "base", takesJwt: true } as const;
const settingsFields = [
  "model",
  "specModeModel",
  "providerLockTimestamp",
  "assistantActiveTimeMs",
  "childInclusiveTokenUsageBySessionId",
  "archivedAt",
  "tags",
  "enabledToolIds",
  "disabledToolIds",
];

function create({ body, state, nowMs }: Call): FakeSession {
  const given = parseFields(body, ["computerId", "cwd", "sessionSettings"]);
  const computerId = textField(given, "computerId", 1, 1000);
  if (computerId === undefined) throw new Refusal(400, "computerId is required.");
  if (!state.computers.has(computerId)) throw new Refusal(404, "No such computer.");
  textField(given, "cwd", 1, 4096);
  const settings = given["sessionSettings"];
  const sessionSettings = settings === undefined ? {} : parseFields(JSON.stringify(settings), settingsFields);
  const session: FakeSession = {
    sessionId: uuid(state.seed, state.sessions.length, 60),
    status: "pending",
    messageCount: 0,
    createdAt: nowMs,
    updatedAt: nowMs,
    computerId,
    sessionSettings: sessionSettings as NonNullable<FakeSession["sessionSettings"]>,
  };
  state.sessions.unshift(session);
  return session;
}

function messages({ state, parts }: Call) {
  const found = findMessages(state, parts[0] ?? "");
  if (found === undefined) throw new Refusal(404, "No such session.");
  return found;
}

/** Endpoints of sessions and messages. */
export const sessionRoutes: readonly Route[] = [
  {
    ...shared,
    method: "GET",
    path: "/api/v0/sessions",
    query: ["limit", "cursor", "computerId"],
    status: 200,
    answer({ query, state }) {
      const computerId = query.get("computerId");
      const own = state.sessions.filter((session) => computerId === null || session.computerId === computerId);
      const { items, pagination } = page(query, own, ({ sessionId }) => sessionId);
      return { sessions: items, pagination };
    },
  },
  { ...shared, method: "POST", path: "/api/v0/sessions", query: [], status: 201, answer: create },
  {
    ...shared,
    method: "GET",
    path: "/api/v0/sessions/{sessionId}/messages",
    query: ["limit", "cursor", "computerId", "role"],
    status: 200,
    answer(call) {
      const role = choice(call.query, "role", ["user", "assistant", "tool"]);
      const own = messages(call).filter((message) => role === undefined || message.role === role);
      const { items, pagination } = page(call.query, own, ({ id }) => id);
      return { messages: items, pagination };
    },
  },
  {
    ...shared,
    method: "GET",
    path: "/api/v0/sessions/{sessionId}/messages/{messageId}",
    query: ["computerId"],
    status: 200,
    answer(call) {
      const found = messages(call).find(({ id }) => id === call.parts[1]);
      if (found === undefined) throw new Refusal(404, "No such message.");
      return found;
    },
  },
];
