import { expect, test } from "vitest";
import { catchFailure } from "../world/service/client.ts";
import { expectNoSecret } from "../world/service/hostile-service.ts";
import { key, startStrangeService, usersPage } from "./strange-service.ts";

const place = ["query", "limit"];

test.each([
  [
    "FastAPI's list",
    { detail: [{ loc: place, msg: "value is not an integer" }] },
    "value is not an integer (query.limit)",
  ],
  ["a list of messages", { detail: [{ message: "too many" }] }, "too many"],
  ["a list of texts", { detail: ["too many"] }, "too many"],
  ["an object in detail", { detail: { message: "too many" } }, "too many"],
  ["a list of errors", { errors: [{ message: "too many" }] }, "too many"],
  ["a list of text errors", { errors: ["too many"] }, "too many"],
  ["OAuth's description", { error_description: "too many" }, "too many"],
  ["a text", "too many", "too many"],
  ["a list at the top", [{ message: "too many" }], "too many"],
])("%s in an error's body is the detail", async (_, body, detail) => {
  const service = await startStrangeService(() => ({ status: 422, body }));
  const error = await catchFailure(service.client().users.list().all());
  expect(error).toMatchObject({ detail, hint: "`detail` says what the service rejected." });
  expect(error).not.toHaveProperty("excerpt");
  const { stderr } = await service.run("users list");
  expect(stderr).toContain(detail);
});

test.each([
  [400, "See `beckon service users list --help`."],
  [402, "See `beckon service users list --help`."],
  [409, "See `beckon service users list --help`."],
  [413, "See `beckon service users list --help`."],
  [422, "See `beckon service users list --help`."],
  [408, "Try again later."],
  [429, "Try again in some minutes; the service does not say when."],
  [503, "Try again later; give `requestId` to the service's support."],
])("the command line's cure for %d fits", async (status, cure) => {
  const service = await startStrangeService(() => ({ status, body: { message: "validation failed" } }));
  const { exitCode, stderr } = await service.run("users list");
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(cure)]);
  expect(/again later/.test(stderr)).toBe(/again later/.test(cure));
});

test.each([
  ["api GET /api/v0/teams", "Check the path and the address."],
  ["users list", "Check the path and the address."],
  ["sessions messages s1", "Check the ids."],
  ["sessions list --computer-id c1", "Check the ids."],
  ["sessions create --computer-id c1", "Check the ids."],
])("a 404 of `%s` names what may be wrong", async (line, cure) => {
  const service = await startStrangeService(() => ({ status: 404, body: { detail: "not found" } }));
  expect((await service.run(line)).stderr).toContain(cure);
});

test("an error has the reply's headers, without key and cookies", async () => {
  const headers = { "x-plan": "free", "x-echo": `Bearer ${key}`, "set-cookie": "session=1" };
  const service = await startStrangeService((_, count) =>
    count === 1 ? { status: 403, headers, body: {} } : { headers, body: { users: 7 } },
  );
  for (const name of ["PermissionError", "ParseError"]) {
    const error = await catchFailure(service.client().users.list().page());
    expect(error).toMatchObject({ name, headers: { "x-plan": "free", "content-type": "application/json" } });
    expect(error).not.toHaveProperty("headers.set-cookie");
    expectNoSecret(error, key);
  }
});

test("an expired JWT does not get the advice to create a key", async () => {
  const service = await startStrangeService(() => ({ status: 401, body: { detail: "expired" } }));
  const error = await catchFailure(service.client({ jwt: "a.b.c" }).users.list().page());
  expect(error).toMatchObject({
    name: "AuthenticationError",
    hint: expect.stringContaining("JWT is invalid or has expired"),
  });
  const { stderr } = await service.run("users list", { BECKON_JWT: "a.b.c" });
  expect(stderr).toContain("get a new one");
  expect(stderr).not.toContain("api-keys");
});

test("a reply without faults has no error", async () => {
  const service = await startStrangeService(() => usersPage([]));
  expect(await service.run("users list")).toMatchObject({ exitCode: 0 });
});
