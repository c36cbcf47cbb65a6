import { expect, test } from "vitest";
import { catchFailure } from "../world/service/client.ts";
import { expectNoSecret } from "../world/service/hostile-service.ts";
import { startStrangeService, users, usersPage } from "./strange-service.ts";

/** Starts a service that accepts only this key, which changes when a test says so. */
const startWithKey = async (accepted: { key: string }) =>
  startStrangeService(({ headers, url }) => {
    if (headers.authorization !== `Bearer ${accepted.key}`) return { status: 401, body: { detail: "expired" } };
    const at = Number(url.searchParams.get("cursor") ?? 0);
    return usersPage(users(at, 1), at < 5 ? String(at + 1) : undefined);
  });

test.each(["apiKey", "jwt"] as const)("a function as %s is asked once more after a 401", async (name) => {
  const accepted = { key: "first-key" };
  const service = await startWithKey(accepted);
  const asked: string[] = [];
  const get = async (): Promise<string> => {
    asked.push(accepted.key);
    return accepted.key;
  };
  const credentials = name === "jwt" ? { jwt: get } : { apiKey: get };
  const rows: unknown[] = [];
  for await (const user of service.client(credentials).users.list()) {
    rows.push(user);
    if (rows.length === 3) accepted.key = "second-key";
  }
  expect([rows.length, asked]).toEqual([6, ["first-key", "second-key"]]);
  expect(service.requests).toHaveLength(7);
});

test("a POST is repeated after a 401 as well", async () => {
  const session = { sessionId: "s", status: "idle", messageCount: 0, createdAt: 1, updatedAt: 1 };
  const service = await startStrangeService((_, count) =>
    count === 1 ? { status: 401, body: {} } : { status: 201, body: session },
  );
  const client = service.client({ apiKey: () => "some-key" });
  expect(await client.sessions.create({ computerId: "c1" })).toEqual(session);
});

test("calls at the same time share a renewed key", async () => {
  const accepted = { key: "first-key" };
  const service = await startWithKey(accepted);
  let asked = 0;
  const apiKey = (): string => {
    asked += 1;
    return accepted.key;
  };
  const client = service.client({ apiKey });
  await client.users.list().page();
  accepted.key = "second-key";
  await Promise.all(["0", "1", "2"].map((cursor) => client.users.list().page(cursor)));
  expect(asked).toBe(2);
});

test("a second 401 is the error, without any key", async () => {
  const service = await startStrangeService(({ headers }) => ({
    status: 401,
    body: { detail: `no ${headers.authorization}` },
  }));
  let count = 0;
  const client = service.client({ apiKey: () => `secret-key-${++count}` });
  const error = await catchFailure(client.users.list().page());
  expect(error).toMatchObject({ name: "AuthenticationError", status: 401 });
  expect(service.requests).toHaveLength(2);
  expectNoSecret(error, "secret-key-1", "secret-key-2");
});

test("a fixed key is not sent again after a 401", async () => {
  const service = await startStrangeService(() => ({ status: 401, body: {} }));
  await catchFailure(service.client().users.list().page());
  expect(service.requests).toHaveLength(1);
});

test.each([
  ["fails", () => Promise.reject(new Error("no token")), { name: "AuthenticationError", reason: "auth" }],
  ["gives no text", () => undefined as unknown as string, { name: "ArgumentError", parameter: "apiKey" }],
  ["gives a text with spaces", () => "a b", { name: "ArgumentError", parameter: "apiKey" }],
  ["never ends", () => new Promise<string>(() => {}), { name: "TimeoutError", reason: "timeout" }],
])("a function that %s fails the call before it is sent", async (_, apiKey, expected) => {
  const service = await startStrangeService(() => usersPage([]));
  const client = service.client({ apiKey, timeoutMs: 500 });
  expect(await catchFailure(client.users.list().page())).toMatchObject(expected);
  expect(service.requests).toEqual([]);
});
